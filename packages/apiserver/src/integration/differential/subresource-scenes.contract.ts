// What goes through an object's subresources: its status, its scale, its finalizers, its eviction. Each subresource lets through its own part only, and
// who wrote through which is kept apart. Writers are called in the order in which they write, so that the order of their entries does not
// hang on the second.
import { after, as, get, merge, patch, post, put, remove, strategic } from "./ask.contract.ts";
import type { NextStep, Scene } from "./request-script.contract.ts";

const core = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const selector = { matchLabels: { a: "b" } };
const by = (fieldManager: string) => ({ query: { fieldManager } });

interface SubresourceCase {
  readonly name: string;
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string }; readonly [field: string]: unknown };
  /** A merge patch with a change of the object and of its status. */
  readonly both: object;
  readonly subresource?: string;
}

const condition = {
  type: "Ready",
  status: "True",
  reason: "r",
  message: "m",
  lastTransitionTime: "2020-01-01T00:00:00Z",
};
const pdbStatus = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };

const subresources: readonly SubresourceCase[] = [
  {
    name: "a pod",
    path: `${core}/pods`,
    object: { metadata: { name: "a" }, spec: template.spec },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { activeDeadlineSeconds: 10 },
      status: { phase: "Running", message: "m" },
    },
  },
  {
    name: "a service",
    path: `${core}/services`,
    object: { metadata: { name: "a" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { sessionAffinity: "ClientIP" },
      status: { conditions: [condition] },
    },
  },
  {
    name: "a node",
    path: "/api/v1/nodes",
    object: { metadata: { name: "{ns}-n" } },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { unschedulable: true },
      status: { phase: "Running", capacity: { cpu: "1" } },
    },
  },
  {
    name: "a namespace",
    path: "/api/v1/namespaces",
    object: { metadata: { name: "{ns}-x" } },
    both: { metadata: { labels: { c: "d" } }, spec: { finalizers: ["x.io/y"] }, status: { conditions: [condition] } },
  },
  {
    name: "a volume",
    path: "/api/v1/persistentvolumes",
    object: {
      metadata: { name: "{ns}-v" },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { persistentVolumeReclaimPolicy: "Delete" },
      status: { phase: "Failed", message: "m" },
    },
  },
  {
    name: "a claim",
    path: `${core}/persistentvolumeclaims`,
    object: {
      metadata: { name: "a" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { volumeName: "v" },
      status: { phase: "Lost", capacity: { storage: "1Gi" } },
    },
  },
  {
    name: "a quota",
    path: `${core}/resourcequotas`,
    object: { metadata: { name: "a" }, spec: { hard: { pods: "1" } } },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { hard: { pods: "2" } },
      status: { hard: { pods: "3" }, used: { pods: "1" } },
    },
  },
  {
    name: "a replication controller",
    path: `${core}/replicationcontrollers`,
    object: { metadata: { name: "a" }, spec: { selector: { a: "b" }, template } },
    both: { metadata: { labels: { c: "d" } }, spec: { replicas: 3 }, status: { replicas: 2 } },
  },
  {
    name: "a deployment",
    path: `${apps}/deployments`,
    object: { metadata: { name: "a" }, spec: { selector, template } },
    both: {
      metadata: { labels: { c: "d" }, annotations: { e: "f" } },
      spec: { replicas: 3 },
      status: { replicas: 2, observedGeneration: 1 },
    },
  },
  {
    name: "a replica set",
    path: `${apps}/replicasets`,
    object: { metadata: { name: "a" }, spec: { selector, template } },
    both: { metadata: { labels: { c: "d" } }, spec: { replicas: 3 }, status: { replicas: 2 } },
  },
  {
    name: "a stateful set",
    path: `${apps}/statefulsets`,
    object: { metadata: { name: "a" }, spec: { serviceName: "s", selector, template } },
    both: { metadata: { labels: { c: "d" } }, spec: { replicas: 3 }, status: { replicas: 2 } },
  },
  {
    name: "a daemon set",
    path: `${apps}/daemonsets`,
    object: { metadata: { name: "a" }, spec: { selector, template } },
    both: { metadata: { labels: { c: "d" } }, spec: { minReadySeconds: 3 }, status: { desiredNumberScheduled: 2 } },
  },
  {
    name: "a job",
    path: "/apis/batch/v1/namespaces/{ns}/jobs",
    object: {
      metadata: { name: "a" },
      spec: {
        template: { spec: { ...template.spec, restartPolicy: "Never" } },
        manualSelector: true,
        selector: { matchLabels: { a: "b" } },
      },
    },
    both: { metadata: { labels: { c: "d" } }, spec: { parallelism: 3 }, status: { active: 1 } },
  },
  {
    name: "a cron job",
    path: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    object: {
      metadata: { name: "a" },
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { suspend: true },
      status: { lastScheduleTime: "2020-01-01T00:00:00Z" },
    },
  },
  {
    name: "an autoscaler",
    path: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    object: {
      metadata: { name: "a" },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { maxReplicas: 4 },
      status: { currentReplicas: 1, desiredReplicas: 2 },
    },
  },
  {
    name: "an autoscaler of old",
    path: "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
    object: {
      metadata: { name: "a" },
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { maxReplicas: 4 },
      status: { currentReplicas: 1, desiredReplicas: 2 },
    },
  },
  {
    name: "a budget",
    path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    object: { metadata: { name: "a" }, spec: { minAvailable: 1, selector } },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { minAvailable: 2 },
      status: { ...pdbStatus, observedGeneration: 1 },
    },
  },
  {
    name: "an ingress",
    path: "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
    object: { metadata: { name: "a" }, spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { ingressClassName: "c" },
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
    },
  },
  {
    name: "a service range",
    path: "/apis/networking.k8s.io/v1/servicecidrs",
    object: { metadata: { name: "{ns}-r" }, spec: { cidrs: ["10.200.0.0/24"] } },
    both: { metadata: { labels: { c: "d" } }, status: { conditions: [condition] } },
  },
  {
    name: "a priority level",
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    object: {
      metadata: { name: "{ns}-p" },
      spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
    },
    both: {
      metadata: { labels: { c: "d" } },
      spec: { limited: { nominalConcurrencyShares: 2 } },
      status: { conditions: [condition] },
    },
  },
  {
    name: "an attachment",
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    object: {
      metadata: { name: "{ns}-a" },
      spec: { attacher: "a.b", nodeName: "n", source: { persistentVolumeName: "p" } },
    },
    both: { metadata: { labels: { c: "d" } }, status: { attached: true } },
  },
  {
    name: "an admission policy",
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    object: {
      metadata: { name: "{ns}-p" },
      spec: {
        validations: [{ expression: "true" }],
        matchConstraints: {
          resourceRules: [{ apiGroups: ["a.io"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
        },
      },
    },
    both: { metadata: { labels: { c: "d" } }, spec: { failurePolicy: "Ignore" }, status: { observedGeneration: 1 } },
  },
];

function subresourceScene({ name, path, object, both, subresource = "status" }: SubresourceCase): Scene {
  const it = `${path}/${object.metadata.name}`;
  return {
    name: `subresources of ${name}`,
    steps: [
      post("make it", path, object, by("a")),
      merge("both by the subresource", `${it}/${subresource}`, both, by("b")),
      get("shown by the subresource", `${it}/${subresource}`),
      merge("badly labelled by the subresource", `${it}/${subresource}`, { metadata: { labels: { "a b": "c" } } }),
      merge("badly labelled by the front", it, { metadata: { labels: { "a b": "c" } } }),
      merge("both by the front", it, both, by("c")),
      after("both by the front", (_, { body }) =>
        put("the same again by the subresource", `${it}/${subresource}`, body, by("d")),
      ),
      put("nothing by the subresource", `${it}/${subresource}`, object, by("e")),
      put("a dry run by the subresource", `${it}/${subresource}`, object, {
        query: { dryRun: "All", fieldManager: "f" },
      }),
      merge(
        "owners and finalizers by the subresource",
        `${it}/${subresource}`,
        {
          metadata: {
            finalizers: ["a.io/b"],
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
            annotations: { g: "h" },
          },
        },
        by("g"),
      ),
      merge("a stale version by the subresource", `${it}/${subresource}`, { metadata: { resourceVersion: "1" } }),
      put("another name by the subresource", `${it}/${subresource}`, { ...object, metadata: { name: "other" } }),
      // A service may come into being by an update, and upstream checks it as new before it finds that this is no way to make one.
      ...(path.endsWith("/services")
        ? []
        : [
            put("what is not there by the subresource", `${path}/absent/${subresource}`, {
              ...object,
              metadata: { name: "absent" },
            }),
          ]),
      merge("what is not there, patched by the subresource", `${path}/absent/${subresource}`, {}),
      get("in the end", it),
      merge("let go", it, { metadata: { finalizers: null } }),
      remove("taken away", it, undefined, { query: { gracePeriodSeconds: "0" } }),
    ],
  };
}

function scaleScene(kind: string, path: string, object: object): Scene {
  const scale = `${path}/a/scale`;
  const scaled = (replicas: unknown, more: object = {}) => ({
    metadata: { name: "a", namespace: "{ns}", ...more },
    spec: { replicas },
  });
  return {
    name: `scale of ${kind}`,
    steps: [
      post("make it", path, object, by("a")),
      get("it", scale),
      get("of none", `${path}/absent/scale`),
      get("as a table", scale, as("Table")),
      get("as metadata", scale, as("PartialObjectMetadata")),
      put("set", scale, scaled(2), by("b")),
      get("what was set", `${path}/a`),
      put("set to what it is", scale, scaled(2), by("c")),
      put("set below nothing", scale, scaled(-1)),
      put("set to a text", scale, scaled("x")),
      put("set for another name", scale, scaled(1, { name: "b" })),
      put("set for another namespace", scale, scaled(1, { namespace: "default" })),
      put("set without a name", scale, { spec: { replicas: 1 } }),
      put("set with a stale version", scale, scaled(1, { resourceVersion: "1" })),
      put("set with another uid", scale, scaled(1, { uid: "other" })),
      after("it", ({ uid }) => put("set with its uid", scale, scaled(3, { uid }), by("d"))),
      put("set as another kind", scale, { kind: "Deployment", apiVersion: "apps/v1", ...scaled(1) }),
      put("set as an older Scale", scale, { kind: "Scale", apiVersion: "extensions/v1beta1", ...scaled(1) }),
      put("set as a dry run", scale, scaled(9), { query: { dryRun: "All" } }),
      put("set with an unknown field", scale, { ...scaled(3), foo: 1 }, { query: { fieldValidation: "Strict" } }),
      merge("patched", scale, { spec: { replicas: 4 } }, by("e")),
      strategic("patched strategically", scale, { spec: { replicas: 5 } }, by("f")),
      patch("json")("patched by an operation", scale, [{ op: "replace", path: "/spec/replicas", value: 6 }], by("g")),
      patch("json")("patched by an operation with a path that is a number", scale, [
        { op: "copy", from: "/spec", path: 5 },
      ]),
      merge("patched below nothing", scale, { spec: { replicas: -1 } }),
      merge("patched to a text", scale, { spec: { replicas: "x" } }),
      merge("patched to nothing", scale, { spec: { replicas: null } }, by("h")),
      merge("patched with a stale version", scale, { metadata: { resourceVersion: "1" } }),
      get("in the end", `${path}/a`),
      remove("deleted", scale),
      post("posted", scale, scaled(1)),
      put("set of none", `${path}/absent/scale`, scaled(1, { name: "absent" })),
    ],
  };
}

const pods = `${core}/pods`;
const pod = (name: string, labels: object = { app: "x" }) => ({ metadata: { name, labels }, spec: template.spec });
const evict = (title: string, name: string, more: object = {}, query: Record<string, string> = {}): NextStep =>
  post(
    title,
    `${pods}/${name}/eviction`,
    { kind: "Eviction", apiVersion: "policy/v1", metadata: { name, namespace: "{ns}" }, ...more },
    { query },
  );
const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

export const subresourceScenes: readonly Scene[] = [
  ...subresources.map(subresourceScene),
  scaleScene("deployments", `${apps}/deployments`, { metadata: { name: "a" }, spec: { selector, template } }),
  scaleScene("replica sets", `${apps}/replicasets`, { metadata: { name: "a" }, spec: { selector, template } }),
  scaleScene("stateful sets", `${apps}/statefulsets`, {
    metadata: { name: "a" },
    spec: { serviceName: "s", selector, template },
  }),
  scaleScene("replication controllers", `${core}/replicationcontrollers`, {
    metadata: { name: "a" },
    spec: { selector: { a: "b" }, template },
  }),
  {
    name: "eviction",
    steps: [
      ...["a", "b", "c", "d"].map((name) => post(`make ${name}`, pods, pod(name))),
      post("make one that is free", pods, pod("free", { app: "y" })),
      post(
        "make a budget",
        budgets,
        { metadata: { name: "x" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } } },
        by("a"),
      ),
      ...["a", "b", "c"].map((name) => merge(`run ${name}`, `${pods}/${name}/status`, { status: running })),
      evict("before the budget is known", "a"),
      merge(
        "the budget says none",
        `${budgets}/x/status`,
        { status: { ...pdbStatus, disruptionsAllowed: 0, currentHealthy: 1, observedGeneration: 1 } },
        by("b"),
      ),
      evict("against the budget", "a"),
      evict("against the budget, as a dry run", "a", { deleteOptions: { dryRun: ["All"] } }),
      merge(
        "the budget says why",
        `${budgets}/x/status`,
        {
          status: {
            conditions: [
              { ...condition, type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "no" },
            ],
          },
        },
        by("b"),
      ),
      evict("against a budget that failed", "a"),
      merge(
        "the budget says one",
        `${budgets}/x/status`,
        { status: { ...pdbStatus, observedGeneration: 1, conditions: [] } },
        by("b"),
      ),
      evict("as a dry run by the query", "a", {}, { dryRun: "All" }),
      evict("as a dry run by options", "a", { deleteOptions: { dryRun: ["All"] } }),
      evict("as a dry run nobody knows", "a", {}, { dryRun: "Some" }),
      evict("with another uid", "a", { deleteOptions: { preconditions: { uid: "other" } } }),
      evict("with a stale version", "a", { deleteOptions: { preconditions: { resourceVersion: "1" } } }),
      evict("with another name", "a", { metadata: { name: "b" } }),
      evict("of another version", "a", { apiVersion: "policy/v1beta1" }),
      evict("of another kind", "a", { kind: "Pod", apiVersion: "v1" }),
      evict("with a policy nobody knows", "a", { deleteOptions: { propagationPolicy: "Nonsense" } }),
      get("the pod that was to go by it", `${pods}/a`),
      evict("as a dry run in two ways", "a", { deleteOptions: { dryRun: ["All", "All"] } }, { dryRun: "All" }),
      evict("as a dry run nobody knows, by options", "a", { deleteOptions: { dryRun: ["Some"] } }),
      evict(
        "as a dry run nobody knows, by options and not by the query",
        "a",
        { deleteOptions: { dryRun: ["Some"] } },
        { dryRun: "All" },
      ),
      evict("although it cannot be read", "a", {
        deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      }),
      evict("unless it cannot be read", "c", {
        deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: false, dryRun: ["All"] },
      }),
      evict("by two policies, of another uid", "a", {
        deleteOptions: { propagationPolicy: "Orphan", orphanDependents: true, preconditions: { uid: "other" } },
      }),
      evict("what is not there", "absent"),
      post("without a body", `${pods}/a/eviction`, ""),
      evict("what is allowed", "a", { deleteOptions: { gracePeriodSeconds: 0 } }),
      get("the budget afterwards", `${budgets}/x`),
      evict("one more", "b"),
      evict("what is pending", "d"),
      evict("what is free", "free", { deleteOptions: { gracePeriodSeconds: 5 } }),
      get("what is free afterwards", `${pods}/free`),
      evict("what is free again", "free"),
      post("make a second budget", budgets, {
        metadata: { name: "y" },
        spec: { selector: { matchLabels: { app: "x" } } },
      }),
      evict("under two budgets", "c"),
    ],
  },
  {
    name: "versions of one object",
    steps: [
      post(
        "made as v1",
        "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
        {
          metadata: { name: "a" },
          spec: {
            maxReplicas: 3,
            targetCPUUtilizationPercentage: 50,
            scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
          },
        },
        by("a"),
      ),
      get("read as v2", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a"),
      merge(
        "changed as v2",
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a",
        { spec: { maxReplicas: 5 } },
        by("b"),
      ),
      merge(
        "changed as v2 in what v1 has otherwise",
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a",
        {
          spec: {
            metrics: [
              { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
            ],
          },
        },
        by("c"),
      ),
      merge(
        "changed as v2 in what v1 has not",
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a",
        {
          spec: {
            metrics: [
              {
                type: "Resource",
                resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } },
              },
            ],
            behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
          },
        },
        by("d"),
      ),
      get("read as v1", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a"),
      merge(
        "changed as v1",
        "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a",
        { spec: { maxReplicas: 6 } },
        by("e"),
      ),
      merge(
        "changed as v1 by who wrote v2",
        "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a",
        { spec: { minReplicas: 2 } },
        by("f"),
      ),
      merge(
        "changed as v2 by who wrote v1",
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a",
        { spec: { minReplicas: 3 } },
        by("g"),
      ),
      get("as a table of v1", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", {
        ...as("Table"),
      }),
      get("as a table of v2", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", as("Table")),
      get("as a table of v1 with objects", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", {
        query: { includeObject: "Object" },
        ...as("Table"),
      }),
      get("watched as a table of v1", "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers", {
        query: { watch: "1", timeoutSeconds: "1", resourceVersion: "0" },
        ...as("Table"),
      }),
      merge(
        "its status as v1",
        "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a/status",
        { status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 40 } },
        by("h"),
      ),
      merge(
        "its status as v2",
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a/status",
        { status: { currentReplicas: 2, currentMetrics: [] } },
        by("i"),
      ),
      get("once more as v2", "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/a"),
      post(
        "an event of the core",
        `${core}/events`,
        {
          metadata: { name: "e" },
          involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
          reason: "r",
          message: "m",
          type: "Normal",
          source: { component: "c" },
          count: 2,
          firstTimestamp: "2020-01-01T00:00:00Z",
          lastTimestamp: "2020-01-01T00:00:00Z",
        },
        by("a"),
      ),
      get("it in the other group", "/apis/events.k8s.io/v1/namespaces/{ns}/events/e"),
      merge(
        "changed in the other group",
        "/apis/events.k8s.io/v1/namespaces/{ns}/events/e",
        { metadata: { labels: { a: "b" } } },
        by("b"),
      ),
      merge("changed in the core", `${core}/events/e`, { message: "n", count: 3 }, by("c")),
      get("events of the core as a table", `${core}/events`, as("Table")),
      get("events of the other group as a table", "/apis/events.k8s.io/v1/namespaces/{ns}/events", as("Table")),
    ],
  },
];
