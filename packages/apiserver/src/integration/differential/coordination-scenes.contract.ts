// Leases.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

export const coordinationScenes: readonly Scene[] = [
  kindScene({
    name: "leases",
    path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    object: {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: { name: "l" },
      spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2020-01-01T00:00:00.000001Z" },
    },
    others: {
      "without anything": { spec: undefined },
      "held by nobody": { spec: { holderIdentity: "" } },
      "of no duration": { spec: { leaseDurationSeconds: 0 } },
      "of less than no duration": { spec: { leaseDurationSeconds: -1, leaseTransitions: -1 } },
      "of a time that is none": { spec: { acquireTime: "yesterday" } },
      "with a strategy": { spec: { strategy: "OldestEmulationVersion", preferredHolder: "a" } },
      "with a strategy nobody knows": { spec: { strategy: "X" } },
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given no prefix": { metadata: { generateName: null } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "taken by another": { spec: { holderIdentity: "you", leaseTransitions: 1 } },
      "taken back in time": { spec: { leaseTransitions: -1 } },
      "given a strategy": { spec: { strategy: "OldestEmulationVersion" } },
    },
  }),
];
