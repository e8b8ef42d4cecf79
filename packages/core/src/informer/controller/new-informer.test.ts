import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { deferred, FakeClock, noLog, seededRandom } from "../../base/index.ts";
import type { ResourceEventHandler } from "../handler/handlers.ts";
import { recorder } from "../shared/notifications.fixture.ts";
import { PodSource } from "../shared/pod-source.fixture.ts";
import { type NewInformerOptions, newIndexerInformer, newInformer } from "./new-informer.ts";

function setUp(
  handler: ResourceEventHandler<KubernetesObject>,
  options: NewInformerOptions<KubernetesObject> = {},
  clock = new FakeClock(),
) {
  const source = new PodSource();
  const { store, controller } = newInformer(source, handler, {
    log: noLog,
    clock,
    random: seededRandom(1),
    freeze: true,
    ...options,
  });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    source,
    store,
    controller,
    async start() {
      running = controller.run(stopping.signal);
      await clock.settle();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

for (const queue of ["in-order", "delta-fifo"] as const) {
  describe(`an informer of one's own over the ${queue} queue`, () => {
    test("follows its source, and tells its one handler of it after the cache has it", async () => {
      const cached: string[][] = [];
      const { heard, handler } = recorder(() => void cached.push(store.listKeys().sort()));
      const { source, store, start, stop, clock, controller } = setUp(handler, { queue });
      source.put("a");
      await start();
      source.put("b");
      await clock.settle();
      source.put("a");
      await clock.settle();
      source.delete("a");
      await clock.settle();
      expect(heard).toEqual(["add a@1 (initial)", "add b@2", "update a@1 to a@3", "delete a@4"]);
      expect(cached).toEqual([["shop/a"], ["shop/a", "shop/b"], ["shop/a", "shop/b"], ["shop/b"]]);
      expect([controller.hasSynced(), controller.lastSyncResourceVersion()]).toEqual([true, "4"]);
      await stop();
    });

    test("under a storm of changes, ends with the source's objects, each told with the state before", async () => {
      const random = seededRandom(3);
      const view = new Map<string, string | undefined>();
      const faults: string[] = [];
      const key = ({ metadata }: KubernetesObject) => metadata.name ?? "";
      const handler: ResourceEventHandler<KubernetesObject> = {
        onAdd: (pod) => {
          if (view.has(key(pod))) faults.push(`${key(pod)} added twice`);
          view.set(key(pod), pod.metadata.resourceVersion);
        },
        onUpdate: (before, after) => {
          if (view.get(key(before)) !== before.metadata.resourceVersion)
            faults.push(`${key(before)}: another state before`);
          view.set(key(after), after.metadata.resourceVersion);
        },
        onDelete: (gone) => {
          const name = "key" in gone ? gone.key.replace("shop/", "") : key(gone);
          if (!view.delete(name)) faults.push(`${name} deleted twice`);
        },
      };
      const { source, store, start, stop, clock } = setUp(handler, { queue, resyncMs: 100 });
      await start();
      for (let step = 0; step < 1000; step++) {
        const name = `pod-${Math.floor(random.next() * 15)}`;
        const seen = random.next() < 0.05 ? "unseen" : "seen";
        if (random.next() < 0.4) source.delete(name, seen);
        else source.put(name, {}, seen);
        if (seen === "unseen") source.cutWatches();
        if (random.next() < 0.1) await clock.advance(300);
      }
      source.cutWatches();
      await clock.advance(60_000);
      expect(faults).toEqual([]);
      const cached = store.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const);
      expect([...view].sort()).toEqual([...cached].sort());
      expect(cached.length).toBeGreaterThan(3);
      await stop();
    });

    test("tells of updates only from one state to the next, also when the handler deletes what it sees", async () => {
      const transitions: string[] = [];
      const done: string[] = [];
      const handler: ResourceEventHandler<KubernetesObject> = {
        onUpdate: (before, after) => {
          transitions.push(`${before.metadata.labels?.["check"]} to ${after.metadata.labels?.["check"]}`);
          source.delete(after.metadata.name ?? "");
        },
        onDelete: (gone) => void done.push("key" in gone ? gone.key : (gone.metadata.name ?? "")),
      };
      const { source, start, stop, clock } = setUp(handler, { queue });
      await start();
      for (const name of ["a", "b", "c"]) {
        source.put(name, { check: "from" });
        source.put(name, { check: "to" });
      }
      await clock.settle();
      expect([transitions, done]).toEqual([Array.from({ length: 3 }, () => "from to to"), ["a", "b", "c"]]);
      await stop();
    });

    test("transforms each object once, before cache and handler, old states included", async () => {
      let transformed = 0;
      const transform = (pod: KubernetesObject) => {
        transformed++;
        if (pod.metadata.labels?.["raw"] !== "yes") throw new Error("transformed already");
        return {
          ...pod,
          metadata: { ...pod.metadata, labels: { generation: pod.metadata.labels["generation"] ?? "" } },
        };
      };
      const events: unknown[] = [];
      const labels = ({ metadata }: KubernetesObject) => metadata.labels;
      const handler: ResourceEventHandler<KubernetesObject> = {
        onAdd: (pod) => void events.push(["add", labels(pod)]),
        onUpdate: (before, after) => void events.push(["update", labels(before), labels(after)]),
        onDelete: (gone) => void events.push(["delete", labels(gone as KubernetesObject)]),
      };
      const { source, store, start, stop, clock } = setUp(handler, { queue, transform, resyncMs: 5 });
      source.put("a", { raw: "yes", generation: "1" });
      await start();
      await clock.advance(20);
      source.put("a", { raw: "yes", generation: "2" });
      await clock.settle();
      expect(store.list().map(labels)).toEqual([{ generation: "2" }]);
      source.delete("a");
      await clock.settle();
      const [first, ...rest] = events;
      expect(first).toEqual(["add", { generation: "1" }]);
      expect(rest.slice(-2)).toEqual([
        ["update", { generation: "1" }, { generation: "2" }],
        ["delete", { generation: "2" }],
      ]);
      expect(transformed).toBe(3);
      await stop();
    });

    test("after a reset tells of what is new as an add and of what has changed as an update, neither as initial", async () => {
      const { heard, handler } = recorder();
      const { source, start, stop, clock } = setUp(handler, { queue });
      source.put("same");
      source.put("one");
      await start();
      expect(heard.sort()).toEqual(["add one@2 (initial)", "add same@1 (initial)"]);
      heard.length = 0;
      source.put("one", {}, "unseen");
      source.put("two", {}, "unseen");
      source.cutWatches();
      await clock.advance(2000);
      expect(heard.sort()).toEqual(["add two@4 (relist)", "update one@2 to one@3 (relist)"]);
      await stop();
    });

    test("a resync tells of everything again", async () => {
      const { heard, handler } = recorder();
      const { source, start, stop, clock } = setUp(handler, { queue, resyncMs: 1000 });
      source.put("a");
      await start();
      await clock.advance(2000);
      expect(heard).toEqual(["add a@1 (initial)", "update a@1 to a@1 (resync)", "update a@1 to a@1 (resync)"]);
      await stop();
    });
  });
}

describe("the handler of an informer of one's own", () => {
  test("that throws or rejects is reported, and hears what comes next", async () => {
    const errors: string[] = [];
    const { heard, handler } = recorder((line) => {
      if (line.includes("a@")) throw new Error("thrown");
      return line.includes("b@") ? Promise.reject(new Error("rejected")) : undefined;
    });
    const { source, start, stop, controller } = setUp(handler, {
      onHandlerError: (error, { type }) => void errors.push(`${type}: ${error.message}`),
    });
    for (const name of ["a", "b", "c"]) source.put(name);
    await start();
    expect(heard).toHaveLength(3);
    expect(errors).toEqual(["add: thrown", "add: rejected"]);
    expect(controller.hasSynced()).toBe(true);
    await stop();
  });

  test("hears what comes next although the one who is to report it fails, too", async () => {
    const { heard, handler } = recorder((line) => {
      if (line.includes("a@")) throw new Error("thrown");
    });
    const { source, start, stop } = setUp(handler, {
      onHandlerError: () => {
        throw new Error("no better");
      },
    });
    for (const name of ["a", "b"]) source.put(name);
    await start();
    expect(heard).toEqual(["add a@1 (initial)", "add b@2 (initial)"]);
    await stop();
  });

  test("is waited for: one event after the other, and no sync before it is done with the first list", async () => {
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const { source, start, stop, controller, clock } = setUp(handler);
    source.put("a");
    source.put("b");
    await start();
    expect([heard.length, controller.hasSynced()]).toEqual([1, false]);
    gate.resolve();
    await clock.settle();
    expect([heard.length, controller.hasSynced()]).toEqual([2, true]);
    await stop();
  });

  test("hears nothing more once it is stopped", async () => {
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const { source, start, stop, clock } = setUp(handler);
    source.put("a");
    source.put("b");
    await start();
    const stopped = stop();
    await clock.settle();
    gate.resolve();
    await stopped;
    expect(heard).toEqual(["add a@1 (initial)"]);
  });
});

test("an indexer informer finds by index", async () => {
  const clock = new FakeClock();
  const source = new PodSource();
  const indexers = { app: (pod: KubernetesObject) => [pod.metadata.labels?.["app"] ?? ""] };
  const { indexer, controller } = newIndexerInformer(source, {}, { indexers, clock, random: seededRandom(1) });
  source.put("a", { app: "web" });
  source.put("b", { app: "db" });
  const stopping = new AbortController();
  const running = controller.run(stopping.signal);
  await controller.whenSynced(stopping.signal);
  expect(indexer.indexKeys("app", "web")).toEqual(["shop/a"]);
  stopping.abort();
  await running;
});
