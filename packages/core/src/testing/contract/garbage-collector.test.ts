import { describe, expect, test } from "vitest";
import { configMaps, namespaces, pods, replicaSets } from "../../api/generated/resources.ts";
import {
  defineResource,
  type KubernetesObject,
  type metav1,
  newControllerReference,
  type Resource,
  withFaults,
} from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import { actionsOf, type DecideContext, printAction } from "../../contract/index.ts";
import { Answers } from "../rules.ts";
import { decideDelete, garbageCollector, type ItemSeen } from "./garbage-collector.fixture.ts";
import { OwnerGraph } from "./owner-graph.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const resources = [namespaces, pods, configMaps, replicaSets];
const widgets = defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" });

const kinds = new Map<string, Resource>([...resources, widgets].map((resource) => [resource.kind, resource]));
function object(kind: string, name: string, metadata: metav1.ObjectMeta = {}): KubernetesObject {
  const { apiVersion = "v1", namespaced = true } = kinds.get(kind) ?? {};
  return { apiVersion, kind, metadata: { ...(namespaced ? { namespace: "shop" } : {}), name, ...metadata } };
}

/** Starts a server with the garbage collector, and creates an owner with its children. */
async function family(children: readonly string[], options: Partial<StageOptions> & { readonly block?: boolean } = {}) {
  const { block = true, ...more } = options;
  const stage = new Stage(garbageCollector, { resources, ...more });
  const owner = stage.server.server.create(replicaSets, object("ReplicaSet", "web") as never) as KubernetesObject;
  const reference = { ...newControllerReference(owner), blockOwnerDeletion: block };
  for (const name of children) {
    stage.server.server.create(pods, object("Pod", name, { ownerReferences: [reference] }) as never);
  }
  await stage.clock.advance(1000);
  return { stage, owner, reference };
}

const left = (stage: Stage<OwnerGraph>) =>
  resources.flatMap((resource) =>
    stage.list<KubernetesObject>(resource).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );

/** Deletes an object through the transport, as a user does. */
async function deleteAs(
  stage: Stage<OwnerGraph>,
  policy: "Background" | "Foreground" | "Orphan",
  resource: Resource = replicaSets,
) {
  const place = resource.namespaced ? "namespaces/shop/" : "";
  const root = resource.group === "" ? "/api/v1/" : `/apis/${resource.apiVersion}/`;
  await stage.server.transport(
    {
      method: "DELETE",
      path: `${root}${place}${resource.plural}/web`,
      query: [],
      headers: {},
      body: { kind: "value", value: { propagationPolicy: policy } },
      prefers: "values",
    },
    new AbortController().signal,
  );
  await stage.clock.advance(5000);
}

describe("run by the driver", () => {
  test("what is owned stays", async () => {
    const { stage } = await family(["a", "b"]);
    await using _ = stage;
    expect(left(stage)).toEqual(["Pod a", "Pod b", "ReplicaSet web"]);
    expect(stage.server.log).toEqual([]);
  });

  test("background: children go after their owner", async () => {
    const { stage } = await family(["a", "b"]);
    await using _ = stage;
    await deleteAs(stage, "Background");
    expect(left(stage)).toEqual([]);
    expect(stage.server.log).toEqual(["delete replicasets shop/web", "delete pods shop/a", "delete pods shop/b"]);
  });

  test("foreground: the owner waits for its children", async () => {
    const { stage } = await family(["a", "b"]);
    await using _ = stage;
    await deleteAs(stage, "Foreground");
    expect(left(stage)).toEqual([]);
    expect(stage.server.log.at(-1)).toBe("patch replicasets shop/web");
    expect(stage.server.log.slice(1, 3).toSorted()).toEqual(["delete pods shop/a", "delete pods shop/b"]);
  });

  test("foreground: the owner does not wait for children that do not block it", async () => {
    const { stage } = await family(["a"], { block: false });
    await using _ = stage;
    stage.edit<KubernetesObject>(pods, "shop/a", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, finalizers: ["x/y"] },
    }));
    await deleteAs(stage, "Foreground");
    expect(left(stage)).toEqual(["Pod a"]);
    expect(stage.list<KubernetesObject>(pods)[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  test("orphan: children live on without their owner", async () => {
    const { stage } = await family(["a", "b"]);
    await using _ = stage;
    await deleteAs(stage, "Orphan");
    expect(left(stage)).toEqual(["Pod a", "Pod b"]);
    expect(stage.list<KubernetesObject>(pods).map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[], []]);
    expect(stage.server.log.at(-1)).toBe("patch replicasets shop/web");
  });

  test("an owner nobody has ever seen is looked for before its child goes", async () => {
    await using stage = new Stage(garbageCollector, { resources });
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "never", uid: "no-such", controller: true };
    stage.server.server.create(pods, object("Pod", "a", { ownerReferences: [reference] }) as never);
    await stage.clock.advance(5000);
    expect(left(stage)).toEqual([]);
    expect(stage.server.server.requests.filter(({ path }) => path.endsWith("/replicasets/never"))).not.toEqual([]);
  });

  test("an owner made anew under its name is another one", async () => {
    const { stage } = await family(["a"]);
    await using _ = stage;
    stage.server.server.pauseCache();
    stage.server.server.delete(replicaSets, "shop/web");
    stage.server.server.create(replicaSets, object("ReplicaSet", "web") as never);
    stage.server.server.resumeCache();
    await stage.clock.advance(5000);
    expect(left(stage)).toEqual(["ReplicaSet web"]);
  });

  test("a child with another owner only loses the one that is gone", async () => {
    const { stage, reference } = await family([]);
    await using _ = stage;
    const other = stage.server.server.create(configMaps, object("ConfigMap", "keeps") as never) as KubernetesObject;
    const references = [reference, { ...newControllerReference(other), controller: false }];
    stage.server.server.create(pods, object("Pod", "a", { ownerReferences: references }) as never);
    await deleteAs(stage, "Background");
    expect(left(stage)).toEqual(["Pod a", "ConfigMap keeps"]);
    expect(stage.list<KubernetesObject>(pods)[0]?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["keeps"]);
  });

  test("grandchildren go too", async () => {
    const { stage } = await family(["a"]);
    await using _ = stage;
    const [pod] = stage.list<KubernetesObject>(pods);
    if (pod === undefined) throw new Error("no pod");
    const ownerReferences = [newControllerReference(pod)];
    stage.server.server.create(configMaps, object("ConfigMap", "grandchild", { ownerReferences }) as never);
    await deleteAs(stage, "Background");
    expect(left(stage)).toEqual([]);
  });

  test("a cluster-scoped child of a namespaced owner is never deleted", async () => {
    const { stage, reference } = await family([]);
    await using _ = stage;
    stage.server.server.create(namespaces, object("Namespace", "other", { ownerReferences: [reference] }) as never);
    await deleteAs(stage, "Background");
    expect(left(stage)).toEqual(["Namespace other"]);
  });

  test("a kind that discovery names later is watched from then on", async () => {
    const all = [...resources, widgets];
    await using stage = new Stage(garbageCollector, { resources: all });
    stage.server.served = resources;
    await stage.clock.advance(1000);
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "never", uid: "no-such" };
    stage.server.server.create(widgets, object("Widget", "w", { ownerReferences: [reference] }));
    await stage.clock.advance(5000);
    stage.server.served = all;
    await stage.clock.advance(40_000);
    expect(stage.list(widgets)).toEqual([]);
  });

  test("a group that cannot be read keeps its watches", async () => {
    const { stage } = await family(["a"]);
    await using _ = stage;
    stage.server.failingGroups.add("apps");
    await stage.clock.advance(60_000);
    stage.server.failingGroups.delete("apps");
    expect(stage.server.server.openWatches).toBe(resources.length);
    await deleteAs(stage, "Background");
    expect(left(stage)).toEqual([]);
  });

  test("lost answers delete nobody who is owned, and everybody who is not", async () => {
    const { stage } = await family(["a", "b", "c"], {
      wrap: (transport, clock) =>
        withFaults(
          transport,
          [
            {
              name: "lost",
              fault: { kind: "reset", when: "after" },
              match: { verbs: ["delete", "patch"] },
              probability: 0.5,
            },
            { name: "failing", fault: { kind: "status", code: 500 }, match: { verbs: ["get"] }, probability: 0.3 },
          ],
          { clock, random: seededRandom("gc") },
        ),
    });
    await using _ = stage;
    await stage.clock.advance(10_000);
    expect(left(stage)).toHaveLength(4);
    await deleteAs(stage, "Foreground");
    await stage.clock.advance(300_000);
    expect(left(stage)).toEqual([]);
  });
});

describe("decided", () => {
  const served = {
    groups: resources.map(({ group }) => ({ name: group, preferredVersion: "v1" })),
    resources,
    failures: new Map(),
  };
  const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner" };
  const graph = new OwnerGraph();
  graph.absorb({
    type: "add",
    resource: pods,
    isInitial: true,
    object: object("Pod", "a", { uid: "child", ownerReferences: [reference] }),
  });
  const seen = (): ItemSeen => {
    const node = graph.get("child");
    if (node === undefined) throw new Error("no node");
    return { node, dependents: [], absentOwners: new Set(), served };
  };
  const context = (answers: Answers): DecideContext => ({ nowMs: 0, answer: (question) => answers.answer(question) });

  test("asks for the item first, then for its owners, then deletes exactly what was read", () => {
    const answers = new Answers();
    const first = decideDelete(seen(), context(answers));
    if (first.kind !== "ask") throw new Error("no question");
    const item = object("Pod", "a", { uid: "child", resourceVersion: "7", ownerReferences: [reference] });
    for (const question of first.questions) answers.give(question, { ok: true, value: item });
    const second = decideDelete(seen(), context(answers));
    if (second.kind !== "ask") throw new Error("no question");
    expect(second.questions.map(({ id }) => id)).toEqual(["get metadata of apps/v1/replicasets shop/web"]);
    for (const question of second.questions) answers.give(question, { ok: true, value: undefined });
    const third = decideDelete(seen(), context(answers));
    if (third.kind !== "plan") throw new Error("no plan");
    expect(actionsOf(third).map(printAction)).toEqual(["delete pods shop/a"]);
    expect(third.steps[0]?.[0]).toMatchObject({
      options: { propagationPolicy: "Background", preconditions: { uid: "child", resourceVersion: "7" } },
    });
  });

  test("concludes nothing from an owner that cannot be read", () => {
    const answers = new Answers();
    const item = object("Pod", "a", { uid: "child", ownerReferences: [reference] });
    for (let round = 0; round < 2; round++) {
      const decision = decideDelete(seen(), context(answers));
      if (decision.kind !== "ask") throw new Error("no question");
      for (const question of decision.questions) {
        answers.give(question, round === 0 ? { ok: true, value: item } : { ok: false, error: new Error("down") });
      }
    }
    expect(decideDelete(seen(), context(answers))).toMatchObject({
      kind: "plan",
      steps: [],
      unfinished: { message: "down" },
    });
  });
});
