// Pod disruption budgets.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const condition = { type: "A", status: "True", reason: "r", message: "m", lastTransitionTime: "2020-01-01T00:00:00Z" };

export const policyScenes: readonly Scene[] = [
  kindScene({
    name: "pod disruption budgets",
    path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    object: {
      kind: "PodDisruptionBudget",
      apiVersion: "policy/v1",
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
      status: { disruptionsAllowed: 5 },
    },
    others: {
      "new and badly labelled": { metadata: { labels: { "a b": "c" } } },
      "badly labelled and of less than nothing": { metadata: { labels: { "a b": "c" } }, spec: { minAvailable: -1 } },
      "without anything": { spec: undefined },
      "of everything": { spec: { selector: {}, minAvailable: undefined, maxUnavailable: "50%" } },
      "of both": { spec: { maxUnavailable: "50%" } },
      "of both and more": {
        spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector: undefined },
      },
      "of less than nothing": { spec: { minAvailable: -1 } },
      "of a share that is none": { spec: { minAvailable: "a" } },
      "of more than all": { spec: { minAvailable: "101%" } },
      "of a bad selector": {
        spec: {
          selector: {
            matchLabels: { "a b": "c d" },
            matchExpressions: [{ key: "a", operator: "In", values: ["a b"] }],
          },
        },
      },
      "of a policy nobody knows": { spec: { unhealthyPodEvictionPolicy: "X" } },
    },
    changes: {
      "kept by anybody": { metadata: { finalizers: ["x"] } },
      "let go": { metadata: { finalizers: null } },
      "given a bad prefix": { metadata: { generateName: "A_b" } },
      "given no prefix": { metadata: { generateName: null } },
      "given an end and bad labels": { metadata: { deletionGracePeriodSeconds: 5, labels: { "a b": "c" } } },
      "given another share": { spec: { minAvailable: "10%" } },
      "given a bad share": { spec: { minAvailable: "a%" } },
      "given another selector": { spec: { selector: { matchLabels: { c: "d" } } } },
      "given an unhealthy policy": { spec: { unhealthyPodEvictionPolicy: "IfHealthyBudget" } },
    },
    throughSubresources: {
      "status: kept by anybody": { metadata: { finalizers: ["x"] } },
      "status: let go": { metadata: { finalizers: null } },
      "status: told numbers": {
        metadata: { labels: { c: "d" } },
        spec: { minAvailable: 7 },
        status: {
          disruptionsAllowed: 1,
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
          observedGeneration: 1,
          disruptedPods: { p: "2020-01-01T00:00:00Z" },
          conditions: [condition],
        },
      },
      "status: told bad numbers": {
        status: { disruptionsAllowed: -1, currentHealthy: -1, desiredHealthy: -1, expectedPods: -1 },
      },
      "status: told bad conditions": {
        status: {
          conditions: [
            condition,
            condition,
            {
              ...condition,
              type: "a b",
              status: "X",
              reason: "",
              lastTransitionTime: undefined,
              observedGeneration: -1,
            },
            { ...condition, type: "C", reason: "a b" },
            { ...condition, type: "D", reason: "r".repeat(1025), message: "m".repeat(32 * 1024 + 1) },
          ],
        },
      },
    },
  }),
];
