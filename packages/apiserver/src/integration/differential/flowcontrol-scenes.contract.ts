// Flow schemas and priority levels. A real server tells their state when it gets to it, so none is kept here.
import { kindScene } from "./kind-scene.contract.ts";
import type { Scene } from "./request-script.contract.ts";

/** In every way a change can be that is looked at for all kinds. */
const wrongMetadata = {
  metadata: { generateName: "A_b", labels: { "a b": "c" }, finalizers: ["x"], deletionGracePeriodSeconds: 5 },
};

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const subjects = [{ kind: "User", user: { name: "a" } }];
const resourceRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"] };
const pathRule = { verbs: ["*"], nonResourceURLs: ["/healthz"] };
const rule = (more: object) => ({ spec: { rules: [{ subjects, resourceRules: [resourceRule], ...more }] } });
const limited = (more: object) => ({ spec: { limited: { limitResponse: { type: "Reject" }, ...more } } });
const queuing = (more: object) => limited({ limitResponse: { type: "Queue", queuing: more } });

export const flowcontrolScenes: readonly Scene[] = [
  kindScene({
    name: "flow schemas",
    path: `${group}/flowschemas`,
    object: {
      kind: "FlowSchema",
      apiVersion,
      metadata: { name: "{ns}-f" },
      spec: { priorityLevelConfiguration: { name: "exempt" } },
      status: { conditions: [{ type: "Dangling", status: "True" }] },
    },
    isStored: false,
    changes: { "with metadata that is wrong": wrongMetadata },
    others: {
      "without anything": { spec: undefined },
      "of a low precedence": { spec: { matchingPrecedence: -1 } },
      "of a high precedence": { spec: { matchingPrecedence: 10001 } },
      "of the first precedence": { spec: { matchingPrecedence: 1 } },
      "of a bad level": { spec: { priorityLevelConfiguration: { name: "A_b" } } },
      "told apart somehow": { spec: { distinguisherMethod: { type: "X" } } },
      "told apart by user": { spec: { distinguisherMethod: { type: "ByUser" } } },
      "with a rule": rule({ nonResourceRules: [pathRule] }),
      "with a rule of nothing": { spec: { rules: [{}] } },
      "with bad subjects": rule({
        subjects: [
          {},
          { kind: "User" },
          { kind: "User", user: {}, group: { name: "a" }, serviceAccount: { name: "a", namespace: "b" } },
          { kind: "Group", group: {}, user: { name: "a" } },
          { kind: "ServiceAccount" },
          { kind: "ServiceAccount", serviceAccount: {}, group: { name: "b" } },
          { kind: "ServiceAccount", serviceAccount: { name: "A_b", namespace: "C_d" } },
          { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "c" } },
        ],
      }),
      "with bad resources": rule({
        resourceRules: [
          {},
          { verbs: ["*", "get"], apiGroups: ["*", ""], resources: ["*", "pods"], namespaces: ["*", "a"] },
          { verbs: ["x"], apiGroups: ["a"], resources: ["b"], namespaces: ["A_b"] },
          { verbs: ["get"], apiGroups: ["a"], resources: ["b"], clusterScope: true },
        ],
      }),
      "with bad paths": rule({
        nonResourceRules: [
          {},
          { verbs: ["x"], nonResourceURLs: ["*", "/a"] },
          { verbs: ["get"], nonResourceURLs: ["", "/", "a", "/a b", "//a", "/a*", "/a/*", "/*/b"] },
        ],
      }),
    },
  }),
  kindScene({
    name: "priority levels",
    path: `${group}/prioritylevelconfigurations`,
    object: {
      kind: "PriorityLevelConfiguration",
      apiVersion,
      metadata: { name: "{ns}-p" },
      spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
    },
    isStored: false,
    changes: { "with metadata that is wrong": wrongMetadata },
    others: {
      "without anything": { spec: undefined },
      "of a type nobody knows": { spec: { type: "X" } },
      exempt: { spec: { type: "Exempt", limited: undefined, exempt: {} } },
      "limited and exempt": { spec: { exempt: {} } },
      "limited by nothing": { spec: { limited: undefined } },
      "limited to nothing": { spec: { limited: {} } },
      "that rejects": limited({}),
      "that does something else": limited({ limitResponse: { type: "X" } }),
      "that rejects queues": limited({ limitResponse: { type: "Reject", queuing: {} } }),
      "that queues nothing": limited({ limitResponse: { type: "Queue" } }),
      "with bad shares": limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
      "with no shares": limited({ nominalConcurrencyShares: 0, lendablePercent: 100, borrowingLimitPercent: 0 }),
      "with bad queues": queuing({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
      "with many queues": queuing({ queues: 10000001 }),
      "with a large hand": queuing({ queues: 5, handSize: 6 }),
      "with a larger hand": queuing({ queues: 1000, handSize: 10 }),
      "with an annotation of old": {
        metadata: { name: "other", annotations: { "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "" } },
      },
    },
  }),
];
