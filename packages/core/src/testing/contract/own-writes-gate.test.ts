// How many requests the gate of own writes needs and what it stores, in a driver with queues and watches.
import { describe, expect, test } from "vitest";
import { configMaps, pods, secrets } from "../../api/generated/resources.ts";
import {
  type corev1,
  type FaultRule,
  type KubernetesObject,
  keyOf,
  type Resource,
  withFaults,
} from "../../api/index.ts";
import { seededRandom } from "../../base/index.ts";
import type { RetryPolicy } from "../../contract/for-drivers.ts";
import {
  cached,
  create,
  keyed,
  mapped,
  newController,
  nothing,
  patch,
  plan,
  queue,
  remove,
  TerminalError,
  unfinished,
  verbs,
} from "../../contract/index.ts";
import { ReadYourWrites, type WriteGate } from "../../runtime/index.ts";
import { garbageCollector } from "./garbage-collector.fixture.ts";
import { Stage, type StageOptions } from "./stage.fixture.ts";

const newMap = (name: string): corev1.ConfigMap => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "shop", name } },
});
const newPod = (metadata: corev1.Pod["metadata"]): corev1.Pod => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", ...metadata }, spec: { containers: [] } },
});

/** Collects the gates that a driver opens. */
function gates(): { readonly open: ReadYourWrites[]; readonly wrapGate: (gate: WriteGate) => WriteGate } {
  const open: ReadYourWrites[] = [];
  const wrapGate = (gate: WriteGate) => {
    if (gate instanceof ReadYourWrites) open.push(gate);
    return gate;
  };
  return { open, wrapGate };
}

const failing = (rule: Omit<FaultRule, "name">, isActive?: () => boolean): NonNullable<StageOptions["wrap"]> => {
  return (transport, clock) =>
    withFaults(transport, [{ name: "failing", ...rule }], {
      clock,
      random: seededRandom(1),
      isActive: isActive ?? (() => true),
    });
};

describe("when caches have shown everything, nothing is kept of writes", () => {
  const releasing = newController({
    name: "releasing",
    watches: [mapped(pods, (pod) => [keyOf(pod)], { when: ({ type }) => type === "add" })],
    writes: [verbs(pods, "patch")],
    queues: {
      all: queue<corev1.Pod>({
        workers: 5,
        observe: (key, { snapshot }) => snapshot.get(pods, key),
        decide: (pod) =>
          pod.metadata.finalizers?.length
            ? plan("release", [[patch(pods, keyOf(pod), { type: "merge", body: { metadata: { finalizers: null } } })]])
            : nothing("released"),
      }),
    },
  });
  const deleting = newController({
    name: "deleting",
    watches: [mapped(pods, (pod) => [`${pod.metadata.uid} ${keyOf(pod)}`], { when: ({ type }) => type === "add" })],
    writes: [verbs(pods, "delete")],
    queues: {
      all: queue<string>({
        workers: 5,
        observe: (key) => key.split(" ")[1],
        decide: (key) => plan("delete", [[remove(pods, key, { tolerates: ["NotFound"] })]]),
      }),
    },
  });
  for (const [name, controller] of [
    ["keys that nothing wakes after their patch", releasing],
    ["keys that no longer exist after their delete", deleting],
  ] as const) {
    test(name, async () => {
      const { open, wrapGate } = gates();
      await using stage = new Stage(controller, { resources: [pods], driver: { wrapGate } });
      await stage.clock.advance(100);
      for (let i = 0; i < 300; i++) {
        stage.server.server.create(pods, newPod({ name: `p${i}`, uid: `u${i}`, finalizers: ["x/y"] }));
      }
      await stage.clock.advance(60_000);
      expect(stage.server.written.length).toBeGreaterThanOrEqual(300);
      expect(open.map(({ size, links }) => [size, links])).toEqual([[0, 0]]);
    });
  }

  test("the garbage collector's, and the memory of echoes fades", async () => {
    const { open, wrapGate } = gates();
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "o" };
    const secret = (name: string): KubernetesObject => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "shop", name, uid: name, ownerReferences: [owner] },
    });
    const objects: [Resource, KubernetesObject][] = Array.from({ length: 300 }, (_, i) => [secrets, secret(`s${i}`)]);
    const map = newMap("owner");
    await using stage = new Stage(garbageCollector, {
      resources: [configMaps, secrets],
      objects: [[configMaps, { ...map, metadata: { ...map.metadata, uid: "o" } }], ...objects],
      driver: { wrapGate },
    });
    await stage.clock.advance(5000);
    stage.server.server.delete(configMaps, "shop/owner");
    await stage.clock.advance(60_000);
    expect(stage.list(secrets)).toHaveLength(0);
    stage.server.server.create(configMaps, newMap("later"));
    await stage.clock.advance(1000);
    expect(open.map(({ size, links, echoes }) => [size, links, echoes])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe("what settling costs the server", () => {
  const making = (howMany: number, newChild: (map: corev1.ConfigMap, i: number) => corev1.Pod) =>
    keyed<corev1.ConfigMap>({
      name: "making",
      primary: configMaps,
      watches: [cached(pods)],
      writes: [verbs(pods, "create")],
      observe: (key, { snapshot }) => (snapshot.list(pods).length > 0 ? undefined : snapshot.get(configMaps, key)),
      decide: (map) =>
        plan("make", [Array.from({ length: howMany }, (_, i) => create(pods, newChild(map, i)))], {
          requeueAfterMs: 10,
        }),
    });
  const generated = ({ metadata: { name = "", uid = "" } }: corev1.ConfigMap) =>
    newPod({
      generateName: "p-",
      labels: { app: name },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true }],
    });
  // Informers start with a watch that sends initial events, so all lists are requests of the settling reads.
  const reads = (stage: Stage<undefined>, verb: string) =>
    stage.server.server.requests.filter((request) => request.verb === verb && request.path.includes("pods"));

  test("sixty-four lost creates take one list for each try, of those with their labels", async () => {
    let isDown = true;
    await using stage = new Stage(making(64, generated), {
      resources: [configMaps, pods],
      objects: [[configMaps, newMap("a")]],
      wrap: failing({ fault: { kind: "status", code: 503 }, match: { verbs: ["create"] } }, () => isDown),
    });
    await stage.clock.advance(200);
    const settling = reads(stage, "list");
    expect(settling.every(({ query }) => query.some(([, value]) => value === "app=a"))).toBe(true);
    const tries = Number(/reconcile_total\{[^}]*result="error"\} (\d+)/.exec(stage.metrics.print())?.[1]);
    expect(tries).toBeGreaterThan(2);
    expect(settling.length).toBeLessThanOrEqual(tries);
    isDown = false;
    await stage.clock.advance(60_000);
    expect(stage.list(pods)).toHaveLength(64);
  });

  test("many keys of one namespace share their lists", async () => {
    let isDown = true;
    await using stage = new Stage(making(4, generated), {
      resources: [configMaps, pods],
      objects: Array.from({ length: 10 }, (_, i) => [configMaps, newMap(`m${i}`)]),
      driver: { workers: { making: 10 } },
      wrap: failing({ fault: { kind: "reset", when: "after" }, match: { verbs: ["create"] } }, () => isDown),
    });
    stage.server.server.pauseCache();
    await stage.clock.advance(1000);
    isDown = false;
    expect(reads(stage, "list")).toHaveLength(1);
    expect(stage.list(pods)).toHaveLength(40);
    stage.server.server.resumeCache();
    await stage.clock.advance(1000);
    expect(stage.list(pods)).toHaveLength(40);
  });

  test("two hundred writes that a watch does not show for a minute take a list now and then", async () => {
    await using stage = new Stage(
      making(200, (_, i) => newPod({ name: `p${i}` })),
      { resources: [configMaps, pods] },
    );
    await stage.clock.advance(1000);
    // The cache receives the config map, and no change after it.
    stage.server.server.pauseCache();
    stage.server.server.create(configMaps, newMap("a"));
    stage.server.server.resumeCache();
    stage.server.server.pauseCache();
    await stage.clock.advance(60_000);
    expect(stage.list(pods)).toHaveLength(200);
    expect(reads(stage, "get")).toHaveLength(0);
    expect(reads(stage, "list")).toHaveLength(2);
    stage.server.server.resumeCache();
    await stage.clock.advance(10_000);
  });
});

describe("the end of an object that a key has marked, by somebody else, brings the key back", () => {
  const deletingPod = (looks: number[], wait: (isMarked: boolean) => Error, retry: RetryPolicy = {}) =>
    keyed<readonly corev1.Pod[]>({
      name: "deleting",
      primary: configMaps,
      watches: [mapped(pods, () => ["shop/a"])],
      writes: [verbs(pods, "delete")],
      retry,
      observe: (_key, { snapshot }) => snapshot.list(pods),
      decide: (left) => {
        looks.push(left.length);
        if (left.length === 0) return nothing("gone");
        const isMarked = left.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
        if (isMarked) return unfinished("terminating", wait(true));
        return plan("delete", [[remove(pods, "shop/p")]], { unfinished: wait(false) });
      },
    });
  for (const [name, wait, retry] of [
    ["failed for good", () => new TerminalError("cannot go on while the pod is there"), {}],
    ["given up", () => new Error("the pod is there"), { maxTries: 1 }],
  ] as const) {
    test(name, async () => {
      const looks: number[] = [];
      await using stage = new Stage(deletingPod(looks, wait, retry), {
        resources: [configMaps, pods],
        objects: [
          [configMaps, newMap("a")],
          [pods, newPod({ name: "p", finalizers: ["x/y"] })],
        ],
      });
      await stage.clock.advance(60_000);
      expect(stage.get(pods, "shop/p")?.metadata.deletionTimestamp).toBeDefined();
      // The update that sets the deletionTimestamp is the echo of the key's own delete, and causes no reconcile.
      expect(looks).toEqual([1]);
      stage.server.server.delete(pods, "shop/p");
      await stage.clock.advance(1000);
      expect(looks).toEqual([1, 0]);
    });
  }

  test("while the removal by its own delete does not", async () => {
    const looks: number[] = [];
    const forGood = () => new TerminalError("cannot go on");
    await using stage = new Stage(deletingPod(looks, forGood), {
      resources: [configMaps, pods],
      objects: [
        [configMaps, newMap("a")],
        [pods, newPod({ name: "p" })],
      ],
    });
    await stage.clock.advance(60_000);
    expect(stage.list(pods)).toHaveLength(0);
    expect(looks).toEqual([1]);
  });
});
