// Runtime classes.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const tolerations = (...some: object[]) => ({ scheduling: { tolerations: some } });

export const nodeScenes: readonly Scene[] = [
  kindScene({
    name: "runtime classes",
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    object: { kind: "RuntimeClass", apiVersion: "node.k8s.io/v1", metadata: { name: "{ns}-r" }, handler: "h" },
    others: {
      "without a handler": { handler: undefined },
      "of a bad handler": { handler: "A_b" },
      "with all": {
        overhead: { podFixed: { cpu: "0.0001", memory: "1024Ki" } },
        scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "a", operator: "Exists" }] },
      },
      "with nothing": { overhead: {}, scheduling: {} },
      "with a bad overhead": { overhead: { podFixed: { pods: "1" } } },
      "with less than no overhead": { overhead: { podFixed: { cpu: "-1" } } },
      "with bad nodes": { scheduling: { nodeSelector: { "a b": "c d" } } },
      "with old nodes": { scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" } } },
      "with bad tolerations": tolerations(
        { key: "a b" },
        { operator: "X", key: "a" },
        { key: "a", effect: "X" },
        { value: "b" },
      ),
      "with a toleration twice": tolerations(
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
        { key: "a", operator: "Exists", effect: "NoExecute" },
      ),
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "given another handler": { handler: "i" },
      "given an overhead": { overhead: { podFixed: { cpu: "1" } } },
    },
  }),
];
