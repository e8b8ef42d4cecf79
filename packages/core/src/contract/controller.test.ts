import { describe, expect, test } from "vitest";
import { configMaps, jobs, nodes, pods, replicaSets } from "../api/generated/resources.ts";
import { type corev1, newControllerReference, newOwnerReference, type Resource } from "../api/index.ts";
import { statusVerbs, verbs } from "./access.ts";
import { keyed, newController } from "./controller.ts";
import { describeController } from "./describe-controller.ts";
import { counter, histogram } from "./metrics.ts";
import { plainSnapshot } from "./plain-snapshot.ts";
import { nothing, type Wake } from "./plan.ts";
import { procedureQueue } from "./procedure.ts";
import { queue, type View } from "./queue.ts";
import { clusterRole, rbacObjects } from "./rbac.ts";
import { isGroupKnown, preferredResources, resourceOfKind, type Served } from "./served.ts";
import { defineIndex } from "./snapshot.ts";
import { type Change, cached, itself, mapped, owned, type Watch } from "./watches.ts";

const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { namespace: "shop", name: "web", uid: "u" } };
function pod(name: string, more: Partial<corev1.Pod["metadata"]> = {}): corev1.Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name, ...more }, spec: { containers: [] } };
}
const child = pod("web-1", { ownerReferences: [newControllerReference(owner)] });
const empty = plainSnapshot([]);
const byNode = defineIndex("node", pods, (each) => (each.spec.nodeName === undefined ? [] : [each.spec.nodeName]));
const decide = () => nothing("nothing");

const replicas = keyed<string>({
  name: "replicaset-controller",
  primary: replicaSets,
  watches: [owned(pods), cached(nodes)],
  indexes: [byNode],
  writes: [verbs(pods, "create", "delete"), statusVerbs(replicaSets, "patch")],
  reads: [verbs(replicaSets, "get")],
  workers: 5,
  observe: (key) => key,
  decide,
});

function wakes(watch: Watch | undefined, change: Change): readonly Wake[] {
  return watch?.keysOf(change, empty) ?? [];
}

describe("watches", () => {
  const [self, children, onlyCached] = replicas.watchesFor(undefined);
  for (const [name, watch, change, expected] of [
    [
      "a primary wakes itself",
      self,
      { type: "add", resource: replicaSets, object: owner, isInitial: true },
      ["shop/web"],
    ],
    [
      "a child wakes its controller",
      children,
      { type: "add", resource: pods, object: child, isInitial: false },
      ["shop/web"],
    ],
    ["a child without a controller wakes nobody", children, { type: "delete", resource: pods, object: pod("a") }, []],
    [
      "a child that lost its controller wakes it",
      children,
      { type: "update", resource: pods, before: child, object: pod("web-1") },
      ["shop/web"],
    ],
    [
      "a child of another kind of owner wakes nobody",
      children,
      {
        type: "delete",
        resource: pods,
        object: pod("a", {
          ownerReferences: [newControllerReference({ ...owner, apiVersion: "batch/v1", kind: "Job" })],
        }),
      },
      [],
    ],
    [
      "an owner of the same kind in another group wakes nobody",
      children,
      {
        type: "delete",
        resource: pods,
        object: pod("a", { ownerReferences: [newControllerReference({ ...owner, apiVersion: "other/v1" })] }),
      },
      [],
    ],
    [
      "what is only cached wakes nobody",
      onlyCached,
      { type: "add", resource: nodes, object: owner, isInitial: false },
      [],
    ],
  ] as const) {
    test(name, () => expect(wakes(watch, change as Change)).toEqual(expected));
  }

  test("a mapped watch asks for the object before and after", () => {
    const watch = mapped(pods, (each) => [each.spec.nodeName ?? "none"]);
    const before = { ...pod("a"), spec: { containers: [], nodeName: "n1" } };
    expect(wakes(watch, { type: "update", resource: pods, before, object: pod("a") })).toEqual(["n1", "none"]);
  });

  test("a primary that is watched in its own way is not watched twice", () => {
    const own = keyed<string>({
      name: "x",
      primary: pods,
      watches: [mapped(pods, () => [])],
      observe: (key) => key,
      decide,
    });
    expect(own.watchesFor(undefined)).toHaveLength(1);
  });

  const twoOwners = pod("shared", {
    ownerReferences: [
      newOwnerReference({ ...owner, metadata: { ...owner.metadata, name: "other" } }),
      newControllerReference(owner),
      newOwnerReference({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "j", uid: "j" } }),
    ],
  });
  for (const [name, options, expected] of [
    ["of several owners the controller is woken", {}, ["shop/web"]],
    ["or all that are of the kind", { everyOwner: true }, ["shop/other", "shop/web"]],
  ] as const) {
    test(name, () => {
      const own = keyed<string>({
        name: "x",
        primary: replicaSets,
        watches: [owned(pods, options)],
        observe: (key) => key,
        decide,
      });
      expect(wakes(own.watchesFor(undefined)[1], { type: "delete", resource: pods, object: twoOwners })).toEqual(
        expected,
      );
    });
  }

  test("namespaces are for what lives in some, unless a watch names its own; each has a cache", () => {
    const own = keyed<string>({
      name: "x",
      primary: replicaSets,
      namespaces: ["a", "b", "a"],
      watches: [cached(nodes), cached(pods, { namespace: "c" }), cached(configMaps, { namespaces: ["d", "e"] })],
      observe: (key) => key,
      decide,
    });
    const places = own.watchesFor(undefined).map(({ resource, namespace }) => `${resource.plural} ${namespace ?? "*"}`);
    expect(places).toEqual(["replicasets a", "replicasets b", "nodes *", "pods c", "configmaps d", "configmaps e"]);
  });
});

describe("shapes", () => {
  test("a keyed controller has one queue of its own name", () => {
    expect(Object.keys(replicas.queues)).toEqual(["replicaset-controller"]);
    expect(replicas.queues["replicaset-controller"]?.workers).toBe(5);
    expect(replicas.followsDiscovery).toBe(false);
  });

  test("a sweep has one worker and a period", () => {
    const swept = newController({
      name: "podgc",
      watches: [cached(pods)],
      queues: { podgc: queue({ everyMs: 20_000, observe: (key) => key, decide }) },
    });
    expect(swept.queues["podgc"]).toMatchObject({ workers: 1, everyMs: 20_000 });
    expect(swept.shape).toBe("sweep");
  });

  test("a queue has rules or a procedure", () => {
    const own = procedureQueue({ workers: 3, deadlineMs: 5, procedure: async () => ({ requeueAfterMs: 7 }) });
    expect(own).toMatchObject({ workers: 3, deadlineMs: 5, everyMs: undefined, work: { kind: "procedure" } });
    expect(queue({ observe: () => "", decide })).toMatchObject({ workers: 1, work: { kind: "rules" } });
  });

  test("a controller with a model makes a new one each time it runs", () => {
    const counting = newController<{ pods: number }>({
      name: "counting",
      newModel: () => ({ pods: 0 }),
      queues: { count: queue({ observe: (_key, { model }: View<{ pods: number }>) => model.pods, decide }) },
    });
    expect(counting.shape).toBe("model");
    expect(counting.newModel()).not.toBe(counting.newModel());
    expect(counting.absorb).toBeUndefined();
  });
});

describe("a descriptor that cannot work is refused", () => {
  const one = queue({ observe: (key) => key, decide });
  const everyTen = queue({ everyMs: 10_000, observe: (key) => key, decide });
  const byName = defineIndex("by-name", pods, (each) => [each.metadata.name ?? ""]);
  const byOther = defineIndex("by-name", pods, () => ["other"]);
  const errors = { name: "errors_total", help: "Errors" };
  for (const [fact, make, complaint] of [
    [
      "a sweep with a primary",
      () => newController({ name: "x", primary: nodes, queues: { x: everyTen } }),
      'x watches nodes for queue "x", a sweep, which takes no keys: use cached(nodes), and no primary',
    ],
    [
      "a watch that names no queue",
      () => newController({ name: "x", watches: [itself(nodes, { queue: "nodez" })], queues: { nodes: one } }),
      'x watches nodes for queue "nodez", which it does not have: it has nodes',
    ],
    [
      "owned without an owner",
      () => newController({ name: "x", watches: [owned(pods)], queues: { x: one } }),
      "x watches pods for their owners, but the owners' resource is not given: set primary, or use owned(…, { owner })",
    ],
    [
      "two different indexes of one name",
      () => newController({ name: "x", watches: [cached(pods)], indexes: [byName, byOther], queues: { x: one } }),
      "x has two different indexes named by-name of pods",
    ],
    [
      "two different metrics of one name",
      () => newController({ name: "x", metrics: [counter(errors), counter(errors)], queues: { x: one } }),
      "x declares two different metrics named errors_total",
    ],
    [
      "an index of what is not watched",
      () => newController({ name: "x", indexes: [byName], queues: { x: one } }),
      "x has index by-name of pods, which it does not watch",
    ],
    [
      "a mapping to a sweep, where there is no other queue",
      () => newController({ name: "x", watches: [mapped(pods, () => ["a"])], queues: { x: everyTen } }),
      'x watches pods for queue "x", a sweep, which takes no keys',
    ],
    [
      "a watch of no namespace",
      () => newController({ name: "x", watches: [cached(pods, { namespaces: [] })], queues: { x: one } }),
      "x watches pods in no namespace: leave namespaces out to watch all",
    ],
    [
      "a resync that is no number",
      () => newController({ name: "x", watches: [itself(pods, { resyncMs: Number.NaN })], queues: { x: one } }),
      "x watches pods with a resync every NaN ms",
    ],
    [
      "a negative delay",
      () => newController({ name: "x", watches: [itself(pods, { afterMs: -1 })], queues: { x: one } }),
      "x watches pods with a delay of -1 ms",
    ],
    [
      "no try at all",
      () =>
        newController({ name: "x", queues: { x: queue({ retry: { maxTries: 0 }, observe: (key) => key, decide }) } }),
      'queue "x" of x has at most 0 tries: it needs one',
    ],
    ["no name", () => newController({ name: "", queues: { x: one } }), "a controller needs a name"],
    ["no queue", () => newController({ name: "x", queues: {} }), "x has no queue"],
    [
      "no namespace",
      () => newController({ name: "x", namespaces: [], queues: { x: one } }),
      "x watches no namespace: leave namespaces out to watch all",
    ],
    [
      "no worker",
      () => newController({ name: "x", queues: { x: queue({ workers: 0, observe: (key) => key, decide }) } }),
      'queue "x" of x has 0 workers: it needs at least one',
    ],
    [
      "a period that never ends",
      () => newController({ name: "x", queues: { x: queue({ everyMs: 0, observe: (key) => key, decide }) } }),
      'queue "x" of x has a period of 0 ms',
    ],
    [
      "a sweep with two workers",
      () =>
        newController({ name: "x", queues: { x: queue({ everyMs: 5, workers: 2, observe: (key) => key, decide }) } }),
      'queue "x" of x is a sweep, which has one key and one worker',
    ],
    [
      "a deadline that has passed",
      () => newController({ name: "x", queues: { x: queue({ deadlineMs: -1, observe: (key) => key, decide }) } }),
      'queue "x" of x has a deadline of -1 ms',
    ],
  ] as const) {
    test(fact, () => expect(make).toThrow(complaint));
  }

  test("watches that follow discovery are refused as they become known", () => {
    const late = newController({ name: "x", watches: () => [owned(pods)], queues: { x: one } });
    expect(() => late.watchesFor(served)).toThrow("x watches pods for their owners");
  });

  test("the same index and metric may be named twice", () => {
    const total = counter(errors);
    const twice = { indexes: [byName, byName], metrics: [total, total] };
    expect(newController({ name: "x", watches: [cached(pods)], ...twice, queues: { x: one } }).indexes).toHaveLength(2);
  });
});

describe("measurements", () => {
  const plain = counter({ name: "errors_total", help: "Errors" });
  const zones = histogram({ name: "zone_seconds", help: "Seconds", labels: ["zone"], buckets: [1] });
  test("are data", () => {
    expect(plain.inc()).toEqual({ metric: plain, operation: "inc", value: 1, labels: {} });
    expect(zones.observe(3, { zone: "a" })).toEqual({
      metric: zones,
      operation: "observe",
      value: 3,
      labels: { zone: "a" },
    });
  });
});

const served: Served = {
  groups: [
    { name: "", preferredVersion: "v1" },
    { name: "apps", preferredVersion: "v1" },
  ],
  resources: [pods, { ...replicaSets, version: "v1beta1", apiVersion: "apps/v1beta1" }, replicaSets, jobs],
  failures: new Map([["metrics.k8s.io/v1beta1", new Error("down")]]),
};

describe("what is served", () => {
  const names = (resources: readonly Resource[]) =>
    resources.map(({ apiVersion, plural }) => `${apiVersion} ${plural}`);
  test("each resource once, in the preferred version", () =>
    expect(names(preferredResources(served))).toEqual(["v1 pods", "apps/v1 replicasets", "batch/v1 jobs"]));
  test("only with the verbs wanted", () =>
    expect(names(preferredResources({ ...served, resources: [{ ...pods, verbs: ["get"] }, jobs] }, ["list"]))).toEqual([
      "batch/v1 jobs",
    ]));
  test("a kind is found in the version named", () =>
    expect(resourceOfKind(served, { apiVersion: "apps/v1beta1", kind: "ReplicaSet" })?.version).toBe("v1beta1"));
  test("a kind whose version is gone is found in another", () =>
    expect(resourceOfKind(served, { apiVersion: "apps/v1alpha1", kind: "ReplicaSet" })).toBeDefined());
  test("a kind that is not served is not found", () =>
    expect(resourceOfKind(served, { apiVersion: "v1", kind: "ConfigMap" })).toBeUndefined());
  test("the absence of a kind says nothing while its group cannot be read", () => {
    expect(isGroupKnown(served, "metrics.k8s.io/v1")).toBe(false);
    expect(isGroupKnown(served, "apps/v1")).toBe(true);
  });
});

describe("what comes from a descriptor", () => {
  test("the controller's own role: what it reads and writes, and not what others watch for it", () =>
    expect(clusterRole(replicas).rules).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["create", "delete"] },
      { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["replicasets/status"], verbs: ["patch"] },
    ]));

  test("a role under the service account's name", () =>
    expect(clusterRole(replicas, "replication-controller").metadata.name).toBe(
      "system:controller:replication-controller",
    ));

  const serviceAccount = { namespace: "system", name: "replicas" };
  test("a manifest: a role for the whole cluster and its binding", () =>
    expect(rbacObjects(replicas, { serviceAccount, recordsEvents: false })).toEqual([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "replicaset-controller" },
        rules: [
          { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
          { apiGroups: [""], resources: ["pods"], verbs: ["create", "delete", "get", "list", "watch"] },
          { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get", "list", "watch"] },
          { apiGroups: ["apps"], resources: ["replicasets/status"], verbs: ["patch"] },
        ],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "replicaset-controller" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "replicaset-controller" },
        subjects: [{ kind: "ServiceAccount", namespace: "system", name: "replicas" }],
      },
    ]));

  test("with a lease: a role in its namespace, by name as far as that goes", () => {
    const lease = { namespace: "election", name: "replicas" };
    const [role, binding] = rbacObjects(replicas, { serviceAccount, lease }).slice(-2);
    const metadata = { namespace: "election", name: "replicaset-controller-leader-election" };
    const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
    expect(role).toMatchObject({
      kind: "Role",
      metadata,
      rules: [
        { ...leases, verbs: ["create"] },
        { ...leases, resourceNames: ["replicas"], verbs: ["get", "update"] },
      ],
    });
    expect(binding).toMatchObject({
      kind: "RoleBinding",
      metadata,
      roleRef: { kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", ...serviceAccount }],
    });
  });

  test("in some namespaces: a role in each, and one for what lives in none", () => {
    const inShops = keyed<string>({
      name: "replicas",
      primary: replicaSets,
      namespaces: ["a", "b"],
      watches: [cached(nodes), cached(configMaps, { namespace: "" })],
      writes: [statusVerbs(replicaSets, "patch")],
      observe: (key) => key,
      decide,
    });
    const printed = rbacObjects(inShops, { serviceAccount, name: "own" }).map((object) =>
      "rules" in object
        ? `${object.kind} ${object.metadata.namespace ?? "*"}: ${object.rules?.map(({ resources }) => resources?.join()).join(" ")}`
        : `${object.kind} ${object.metadata.namespace ?? "*"}: ${object.metadata.name}`,
    );
    expect(printed).toEqual([
      "ClusterRole *: configmaps nodes",
      "ClusterRoleBinding *: own",
      "Role a: replicasets replicasets/status events",
      "RoleBinding a: own",
      "Role b: replicasets replicasets/status events",
      "RoleBinding b: own",
    ]);
  });

  test("whoever follows discovery may watch everything", () => {
    const following = newController({
      name: "following",
      watches: (all) => all.resources.map((resource) => cached(resource)),
      queues: {
        a: queue<string>({ observe: (key) => key, decide }),
        b: queue<string>({ everyMs: 5, observe: (key) => key, decide }),
      },
    });
    const [role] = rbacObjects(following, { serviceAccount, recordsEvents: false });
    expect(role).toMatchObject({ rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }] });
    expect(following.watchesFor(served)).toHaveLength(4);
    expect(describeController(following)).toMatchObject({
      watches: ["what discovery names"],
      queues: ["a × 1", "b every 5 ms"],
    });
  });

  test("a row of documentation", () =>
    expect(describeController(replicas)).toEqual({
      name: "replicaset-controller",
      shape: "keyed",
      watches: ["replicasets.apps (itself)", "pods (owner)", "nodes (cache)"],
      namespaces: [],
      sources: [],
      queues: ["replicaset-controller × 5"],
      reads: ["get replicasets.apps"],
      writes: ["create,delete pods", "patch replicasets/status.apps"],
      metrics: [],
      ports: [],
    }));
});

describe("a plain snapshot", () => {
  const onNode = { ...pod("a", { labels: { app: "web" } }), spec: { containers: [], nodeName: "n1" } };
  const elsewhere = pod("b", { namespace: "other" });
  const snapshot = plainSnapshot([[pods, [onNode, elsewhere]]]);
  test("gets by key", () => expect(snapshot.get(pods, "shop/a")).toBe(onNode));
  test("lists by namespace", () => expect(snapshot.list(pods, { namespace: "other" })).toEqual([elsewhere]));
  test("lists by selector", () => expect(snapshot.list(pods, { selector: "app=web" })).toEqual([onNode]));
  test("lists several namespaces", () =>
    expect(snapshot.list(pods, { namespaces: ["shop", "other"], selector: "app" })).toEqual([onNode]));
  test("reads an index", () => expect(snapshot.byIndex(byNode, "n1")).toEqual([onNode]));
  test("is empty where nothing was given", () => expect(snapshot.list(configMaps)).toEqual([]));
});
