// Priority classes.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const path = "/apis/scheduling.k8s.io/v1/priorityclasses";

export const schedulingScenes: readonly Scene[] = [
  kindScene({
    name: "priority classes",
    path,
    object: {
      kind: "PriorityClass",
      apiVersion: "scheduling.k8s.io/v1",
      metadata: { name: "{ns}-p", generation: 7 },
      value: 5,
    },
    others: {
      "without a value": { value: undefined },
      "of the highest value": { value: 1000000000 },
      "of too high a value": { value: 1000000001 },
      "of too low a value": { value: -2147483649 },
      "that preempts nobody": { preemptionPolicy: "Never", description: "d" },
      "that preempts somehow": { preemptionPolicy: "X" },
      "that preempts nothing": { preemptionPolicy: "" },
      "of the system": { metadata: { name: "system-mine" } },
      "of the system with another value": { metadata: { name: "system-node-critical" } },
      "of the system and the default": {
        metadata: { name: "system-node-critical" },
        value: 2000001000,
        globalDefault: true,
      },
      "of the system again": { metadata: { name: "system-node-critical" }, value: 2000001000 },
    },
    changes: {
      "with metadata that is wrong": wrongMetadata,
      "given another value": { value: 6 },
      "given another policy": { preemptionPolicy: "Never" },
      "given a description": { description: "d" },
    },
    steps: [{ title: "one of the system taken away", method: "DELETE", path: `${path}/system-node-critical` }],
  }),
];
