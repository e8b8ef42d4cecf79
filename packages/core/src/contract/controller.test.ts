import { describe, expect, test } from "vitest";
import { configMaps, jobs, nodes, pods, replicaSets } from "../api/generated/resources.ts";
import { type corev1, newControllerReference, newOwnerReference, type Resource } from "../api/index.ts";
import { statusVerbs, verbs } from "./access.ts";
import { type Controller, keyed, modelled, sweep, withQueues } from "./controller.ts";
import { Outcome } from "./outcome.ts";
import { plainSnapshot } from "./plain-snapshot.ts";
import { nothing, type Wake } from "./plan.ts";
import { procedureQueue } from "./procedure.ts";
import { queue } from "./queue.ts";
import { clusterRole, policyRules, rbacObjects } from "./rbac.ts";
import { describeController } from "./rows.ts";
import { isGroupKnown, preferredResources, resourceOfKind, type Served } from "./served.ts";
import { defineIndex } from "./snapshot.ts";
import { type Change, cached, mapped, owned, type Watch } from "./watches.ts";

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
    const swept = sweep<string>({ name: "podgc", everyMs: 20_000, observe: (key) => key, decide });
    expect(swept.queues["podgc"]).toMatchObject({ workers: 1, everyMs: 20_000 });
    expect(swept.shape).toBe("sweep");
  });

  test("a queue with a procedure has no rules", () => {
    const own = procedureQueue({ workers: 3, deadlineMs: 5, work: async () => ({ requeueAfterMs: 7 }) });
    expect(own).toMatchObject({ workers: 3, deadlineMs: 5, everyMs: undefined, procedure: expect.any(Function) });
    expect(own.begin("a", { snapshot: empty, model: undefined, nowMs: 0 })).toBeUndefined();
  });

  test("a queue that observes nothing has no work", () => {
    const own = queue<string>({ observe: () => undefined, decide });
    expect(own.begin("a", { snapshot: empty, model: undefined, nowMs: 0 })).toBeUndefined();
  });

  test("a model absorbs changes, is read by observe and learns from what was done", () => {
    const counting: Controller<{ pods: number }> = modelled<{ pods: number }>({
      name: "counting",
      model: () => ({ pods: 0 }),
      absorb(model, change) {
        model.pods++;
        return [change.object.metadata.name ?? ""];
      },
      queues: {
        count: queue<number, { pods: number }>({
          observe: (_key, { model }) => model.pods,
          decide: (seen) => nothing(`${seen} pods`),
          learn(model, seen) {
            model.pods = seen * 10;
            return [{ queue: "count", key: "again" }];
          },
        }),
      },
    });
    const model = counting.newModel();
    const view = { snapshot: empty, nowMs: 0 };
    expect(counting.absorb(model, { type: "add", resource: pods, object: pod("a"), isInitial: true }, view)).toEqual([
      "a",
    ]);
    const work = counting.queues["count"]?.begin("a", { ...view, model });
    const context = { nowMs: 0, answer: () => undefined };
    expect(work?.decide(context).reason).toBe("1 pods");
    expect(work?.report(new Outcome(), context)).toBeUndefined();
    expect(work?.learn(model, { ...context, outcome: new Outcome() })).toEqual([{ queue: "count", key: "again" }]);
    expect(model.pods).toBe(10);
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
  test("rules: watched resources, live reads and writes, each place once", () =>
    expect(policyRules(replicas)).toEqual([
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["pods"], verbs: ["create", "delete", "get", "list", "watch"] },
      { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get", "list", "watch"] },
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
        rules: policyRules(replicas),
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "replicaset-controller" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "replicaset-controller" },
        subjects: [{ kind: "ServiceAccount", namespace: "system", name: "replicas" }],
      },
    ]));

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
    const following = withQueues({
      name: "following",
      watches: (all) => all.resources.map((resource) => cached(resource)),
      queues: {
        a: queue<string>({ observe: (key) => key, decide }),
        b: queue<string>({ everyMs: 5, observe: (key) => key, decide }),
      },
    });
    expect(policyRules(following)).toEqual([{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }]);
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
