import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type KubernetesObject, newForbidden } from "../../api/index.ts";
import { deferred, FakeClock, MetricsRegistry, seededRandom, systemClock } from "../../base/index.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
import type { ResourceEventHandler } from "./handlers.ts";
import { InformerName } from "./informer-name.ts";
import { recorder } from "./notifications.fixture.ts";
import { PodSource } from "./pod-source.fixture.ts";
import { podInformer } from "./running-informer.fixture.ts";
import { SharedIndexInformer } from "./shared-index-informer.ts";

const namesOf = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.name).sort();
const byLabel = (pod: KubernetesObject) => Object.keys(pod.metadata.labels ?? {});

for (const queue of ["in-order", "delta-fifo"] as const) {
  describe(`an informer over the ${queue} queue`, () => {
    test("keeps a cache equal to the source, and tells of every change after it", async () => {
      const { source, informer, start, stop, clock } = podInformer({ queue });
      source.put("a");
      const cached: string[][] = [];
      const { heard, handler } = recorder(() => void cached.push(informer.getStore().listKeys().sort()));
      informer.addEventHandler(handler);
      await start();
      source.put("b");
      await clock.settle();
      source.put("a");
      await clock.settle();
      source.delete("b");
      await clock.settle();
      expect(heard).toEqual(["add a@1 (initial)", "add b@2", "update a@1 to a@3", "delete b@4"]);
      expect(cached).toEqual([["shop/a"], ["shop/a", "shop/b"], ["shop/a", "shop/b"], ["shop/a"]]);
      expect([informer.lastSyncResourceVersion(), informer.getController().lastSyncResourceVersion()]).toEqual([
        "4",
        "4",
      ]);
      await stop();
    });

    test("finds by index, what comes later included; indexes may come later, too", async () => {
      const { source, informer, start, stop, clock } = podInformer({ queue, indexers: { labels: byLabel } });
      source.put("one", { a: "1", b: "1" });
      source.put("two", { b: "2" });
      await start();
      expect(namesOf(informer.getIndexer().byIndex("labels", "a"))).toEqual(["one"]);
      source.put("three", { a: "2" });
      await clock.settle();
      informer.addIndexers({ again: byLabel });
      for (const index of ["labels", "again"]) {
        expect(namesOf(informer.getIndexer().byIndex(index, "a"))).toEqual(["one", "three"]);
        expect([...informer.getIndexer().listIndexFuncValues(index)].sort()).toEqual(["a", "b"]);
      }
      await stop();
    });

    test("after a lost watch tells what has changed, as a relist, and of what has not to nobody", async () => {
      const { source, informer, start, stop, clock } = podInformer({ queue });
      source.put("same");
      source.put("changed");
      source.put("gone");
      const { heard, handler } = recorder();
      informer.addEventHandler(handler);
      await start();
      heard.length = 0;
      source.put("changed", {}, "unseen");
      source.put("new", {}, "unseen");
      source.delete("gone", "unseen");
      await clock.settle();
      expect(heard).toEqual([]);
      source.cutWatches();
      await clock.advance(2000);
      expect(heard.sort()).toEqual([
        "add new@5 (relist)",
        "delete tombstone of shop/gone (relist)",
        "update changed@2 to changed@4 (relist)",
      ]);
      expect(informer.getStore().listKeys().sort()).toEqual(["shop/changed", "shop/new", "shop/same"]);
      await stop();
    });

    test("a tombstone carries the last state the cache had", async () => {
      const { source, informer, start, stop, clock } = podInformer({ queue });
      const first = source.put("gone", { last: "known" });
      const seen: unknown[] = [];
      informer.addEventHandler({ onDelete: (gone) => void seen.push(isFinalStateUnknown(gone) && gone.object) });
      await start();
      source.delete("gone", "unseen");
      source.cutWatches();
      await clock.advance(2000);
      expect(seen).toEqual([first]);
      await stop();
    });

    test("a relist that brings a deleted name back shows one update to another object", async () => {
      const { source, informer, start, stop, clock } = podInformer({ queue });
      source.put("a");
      const { heard, handler } = recorder();
      informer.addEventHandler(handler);
      await start();
      source.delete("a", "unseen");
      source.put("a", {}, "unseen");
      source.cutWatches();
      await clock.advance(2000);
      expect(heard).toEqual(["add a@1 (initial)", "update a@1 to a@3 (relist)"]);
      await stop();
    });

    test("transforms what comes in before anyone sees it", async () => {
      const transform = (pod: KubernetesObject) => ({
        ...pod,
        metadata: { ...pod.metadata, name: (pod.metadata.name ?? "").toUpperCase() },
      });
      const { source, informer, start, stop, clock } = podInformer({ queue });
      informer.setTransform(transform);
      source.put("a");
      const { heard, handler } = recorder();
      informer.addEventHandler(handler);
      await start();
      source.put("b");
      await clock.settle();
      expect(heard).toEqual(["add A@1 (initial)", "add B@2"]);
      expect(informer.getStore().listKeys()).toEqual(["shop/A", "shop/B"]);
      await stop();
    });

    test("tells of 200 changes in order, each with the state told before, while the handler takes its time", async () => {
      const { source, informer, start, stop, clock, signal, lines } = podInformer({ queue });
      source.put("a");
      const heard: string[] = [];
      let running = 0;
      informer.addEventHandler({
        onAdd: (pod) => void heard.push(`${pod.metadata.resourceVersion}`),
        onUpdate: async (before, after) => {
          running++;
          expect([running, before.metadata.resourceVersion]).toEqual([1, heard.at(-1)]);
          await clock.sleep(Number(after.metadata.resourceVersion) % 7, signal);
          heard.push(`${after.metadata.resourceVersion}`);
          running--;
        },
      });
      await start();
      for (let i = 0; i < 200; i++) {
        source.put("a");
        await clock.settle();
      }
      await clock.runUntilIdle();
      expect(heard).toEqual(Array.from({ length: 201 }, (_, i) => `${i + 1}`));
      expect(lines.filter((line) => line.startsWith("error"))).toEqual([]);
      await stop();
    });
  });
}

describe("sync", () => {
  test("is reached when the first list is in the cache; of a handler when it has been told all of it", async () => {
    const { source, informer, start, stop, clock, signal } = podInformer();
    const release = source.holdLists();
    source.put("a");
    const gate = deferred();
    const registration = informer.addEventHandler(recorder(() => gate.promise).handler);
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
    await start();
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
    release();
    await informer.whenSynced(signal);
    await clock.settle();
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, false]);
    gate.resolve();
    await registration.whenSynced(signal);
    await stop();
  });

  test("of an empty collection is reached all the same", async () => {
    const { informer, start, stop, signal } = podInformer();
    const registration = informer.addEventHandler({});
    await start();
    await Promise.all([informer.whenSynced(signal), registration.whenSynced(signal)]);
    expect([informer.hasSynced(), registration.hasSynced(), informer.getController().hasSynced()]).toEqual([
      true,
      true,
      true,
    ]);
    await stop();
  });

  test("of a handler is reached although it threw at every item of the first list", async () => {
    const errors: string[] = [];
    const { source, informer, start, stop, lines } = podInformer({
      onHandlerError: (error, { handler, notification }) =>
        errors.push(`${handler} at ${notification.type}: ${error.message}`),
    });
    source.put("a");
    source.put("b");
    const registration = informer.addEventHandler(
      {
        onAdd: () => {
          throw new Error("no");
        },
      },
      { name: "clumsy" },
    );
    await start();
    expect(registration.hasSynced()).toBe(true);
    expect(errors).toEqual(["clumsy at add: no", "clumsy at add: no"]);
    expect(lines.filter((line) => line.includes("event handler failed"))).toEqual([
      "error: event handler failed handler=clumsy",
      "error: event handler failed handler=clumsy",
    ]);
    await stop();
  });

  test("will never come when the informer stops before: those who wait are told", async () => {
    const { source, informer, start, stop } = podInformer();
    source.holdLists();
    const registration = informer.addEventHandler({}, { name: "waiter" });
    await start();
    const never = new AbortController().signal;
    const waiting = Promise.allSettled([informer.whenSynced(never), registration.whenSynced(never)]);
    await stop();
    expect((await waiting).map((each) => each.status === "rejected" && each.reason.message)).toEqual([
      'informer "pods" was stopped before it had synced',
      'handler "waiter" stopped with its informer before it had synced',
    ]);
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
  });
});

describe("a handler added while the informer runs", () => {
  test("hears of everything there is as an initial list, then of what follows: no gap, nothing twice", async () => {
    const { source, informer, start, stop, clock, signal } = podInformer();
    source.put("a");
    source.put("b");
    await start();
    source.put("c");
    const { heard, handler } = recorder();
    const registration = informer.addEventHandler(handler);
    expect(registration.hasSynced()).toBe(false);
    await registration.whenSynced(signal);
    source.put("a");
    source.delete("b");
    await clock.settle();
    const [first, second, ...rest] = heard;
    expect([first, second]).toEqual(["add a@1 (initial)", "add b@2 (initial)"]);
    expect(rest.filter((line) => line.includes("c@"))).toHaveLength(1);
    expect(rest.filter((line) => !line.includes("c@"))).toEqual(["update a@1 to a@4", "delete b@5"]);
    await stop();
  });

  test("into an empty cache is in sync at once", async () => {
    const { informer, start, stop } = podInformer();
    await start();
    expect(informer.addEventHandler({}).hasSynced()).toBe(true);
    await stop();
  });

  // Long lists reach the cache and the handlers in slices, with turns of the event loop in between.
  test("in the middle of a long list, hears each object once and is told of no change it cannot place", async () => {
    let looks = 0;
    const clock = { ...systemClock, monotonic: () => looks++ };
    const source = new PodSource();
    const many = 2000;
    for (let i = 0; i < many; i++) source.put(`pod-${i}`);
    const informer = new SharedIndexInformer(source, { clock, random: seededRandom(1) });
    const early = recorder();
    const late: (ReturnType<typeof recorder> & { readonly seenAtJoin: number })[] = [];
    informer.addEventHandler(early.handler);
    const stopping = new AbortController();
    const running = informer.run(stopping.signal);
    while (!informer.hasSynced()) {
      const joined = recorder();
      informer.addEventHandler(joined.handler);
      late.push({ ...joined, seenAtJoin: early.heard.length });
      await systemClock.yield();
    }
    const last = informer.addEventHandler({});
    await last.whenSynced(stopping.signal);
    while (late.some(({ heard }) => heard.length < many)) await systemClock.yield();
    expect(late.length).toBeGreaterThan(3);
    for (const { heard } of [early, ...late]) {
      expect(new Set(heard).size).toBe(heard.length);
      expect(heard).toHaveLength(many);
      expect(heard.every((line) => line.startsWith("add ") && line.endsWith("(initial)"))).toBe(true);
    }
    stopping.abort();
    await running;
  });
});

describe("handlers", () => {
  test("can be added and removed, also the same one twice, each registration on its own", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const { heard, handler } = recorder();
    const first = informer.addEventHandler(handler);
    const second = informer.addEventHandler(handler);
    await start();
    source.put("a");
    await clock.settle();
    informer.removeEventHandler(first);
    source.put("b");
    await clock.settle();
    expect(heard).toEqual(["add a@1", "add a@1", "add b@2"]);
    expect([informer.hasEventHandler(first), informer.hasEventHandler(second)]).toEqual([false, true]);
    second.remove();
    source.put("c");
    await clock.settle();
    expect(heard).toHaveLength(3);
    await stop();
  });

  test("of another informer cannot be removed", () => {
    const { informer } = podInformer();
    const other = podInformer().informer;
    const registration = informer.addEventHandler({}, { name: "mine" });
    expect(() => other.removeEventHandler(registration)).toThrow('handler "mine" is not registered with this informer');
    expect([informer.hasEventHandler(registration), other.hasEventHandler(registration)]).toEqual([true, false]);
  });

  test("are named after their class or functions unless given a name", () => {
    class Watcher {
      onAdd(): void {}
    }
    const { informer } = podInformer();
    expect([informer.addEventHandler(new Watcher()).name, informer.addEventHandler({}, { name: "mine" }).name]).toEqual(
      ["Watcher", "mine"],
    );
  });

  test("come and go by the hundred while objects do, and whoever stays has the cache's view", async () => {
    const random = seededRandom(7);
    const { source, informer, start, stop, clock, lines } = podInformer({ resyncMs: 1000 });
    await start();
    const views: { readonly view: Map<string, string>; readonly leave: () => void }[] = [];
    const join = () => {
      const view = new Map<string, string>();
      const key = (pod: KubernetesObject) => pod.metadata.name ?? "";
      const handler: ResourceEventHandler<KubernetesObject> = {
        onAdd: (pod) => {
          expect(view.has(key(pod))).toBe(false);
          view.set(key(pod), pod.metadata.resourceVersion ?? "");
        },
        onUpdate: (before, after) => {
          expect(view.get(key(before))).toBe(before.metadata.resourceVersion);
          view.set(key(after), after.metadata.resourceVersion ?? "");
        },
        onDelete: (gone) => {
          expect(view.delete(isFinalStateUnknown(gone) ? gone.key.replace("shop/", "") : key(gone))).toBe(true);
        },
      };
      const registration = informer.addEventHandler(handler, { resyncMs: 1000 });
      views.push({ view, leave: () => registration.remove() });
    };
    for (let step = 0; step < 2000; step++) {
      const dice = random.next();
      const name = `pod-${Math.floor(random.next() * 20)}`;
      if (dice < 0.12) join();
      else if (dice < 0.2) views.splice(Math.floor(random.next() * views.length), 1)[0]?.leave();
      else if (dice < 0.4) source.delete(name);
      else if (dice < 0.98) source.put(name);
      else await clock.advance(700);
    }
    await clock.settle();
    const cached = new Map(
      informer
        .getStore()
        .list()
        .map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    expect(views.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.startsWith("error"))).toEqual([]);
    for (const { view } of views) expect(new Map([...view].sort())).toEqual(new Map([...cached].sort()));
    await stop();
  });

  test("that fail are counted where the informer has an identity", async () => {
    using name = new InformerName("shop");
    const metrics = new MetricsRegistry();
    const identity = name.withResource({ group: "", version: "v1", plural: "pods" });
    const { source, informer, start, stop, clock } = podInformer({ metrics, identity });
    source.put("a");
    informer.addEventHandler({ onAdd: () => Promise.reject(new Error("no")) });
    await start();
    source.put("b");
    await clock.settle();
    const labels = '{name="shop",group="",version="v1",resource="pods"}';
    const lines = metrics.print().split("\n");
    expect(lines).toContain(`informer_handler_errors_total${labels} 2`);
    expect(lines).toContain(`informer_store_resource_version${labels} 2`);
    expect(lines).toContain(`informer_queued_items${labels} 0`);
    expect(lines).toContain(`informer_processing_latency_seconds_count${labels} 2`);
    await stop();
    expect(metrics.print()).not.toContain('name="shop"');
  });

  test("of a second informer with the same identity are counted by the first only", async () => {
    using name = new InformerName("shop");
    const metrics = new MetricsRegistry();
    const identityOf = () => name.withResource({ group: "", version: "v1", plural: "pods" });
    const first = podInformer({ metrics, identity: identityOf() });
    const second = podInformer({ metrics, identity: identityOf() });
    second.source.put("a");
    await first.start();
    await second.start();
    expect(metrics.print()).toContain(
      'informer_store_resource_version{name="shop",group="",version="v1",resource="pods"} 0',
    );
    await first.stop();
    await second.stop();
  });

  test("with a bound hear of the last state of each object, however slow they are", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.put("a");
    const gate = deferred();
    const { heard, handler } = recorder(() => gate.promise);
    const registration = informer.addEventHandler(handler, { maxQueued: 1 });
    await start();
    for (let i = 0; i < 100; i++) source.put("a");
    await clock.settle();
    expect(registration.pending).toBe(1);
    gate.resolve();
    await clock.settle();
    expect(heard).toEqual(["add a@1 (initial)", "update a@1 to a@101"]);
    await stop();
  });

  test("can be shut down: the callback that runs is waited for", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const gate = deferred();
    const events: string[] = [];
    const registration = informer.addEventHandler({
      onAdd: async () => {
        await gate.promise;
        events.push("callback ended");
      },
    });
    source.put("a");
    source.put("b");
    await start();
    const down = informer.shutDownEventHandler(registration).then(() => events.push("shut down"));
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    await down;
    expect(events).toEqual(["callback ended", "shut down"]);
    await stop();
  });
});

describe("resync", () => {
  async function resyncing(periods: readonly number[], informerMs = 1000) {
    const set = podInformer({ resyncMs: informerMs });
    set.source.put("a");
    set.source.put("b");
    const listeners = periods.map((resyncMs) => {
      const listener = recorder();
      set.informer.addEventHandler(listener.handler, { resyncMs });
      return listener;
    });
    await set.start();
    for (const { heard } of listeners) heard.length = 0;
    const after = async (ms: number) => {
      await set.clock.advance(ms);
      const counts = listeners.map(({ heard }) => heard.length);
      for (const { heard } of listeners) heard.length = 0;
      return counts;
    };
    return { ...set, listeners, after };
  }

  test("comes to each handler at its own pace: never, every 2 s, every 3 s", async () => {
    const { after, stop } = await resyncing([0, 2000, 3000]);
    expect(await after(1000)).toEqual([0, 0, 0]);
    expect(await after(1000)).toEqual([0, 2, 0]);
    expect(await after(1000)).toEqual([0, 0, 2]);
    expect(await after(3000)).toEqual([0, 4, 2]);
    await stop();
  });

  test("says so, with the same object twice", async () => {
    const { listeners, clock, stop } = await resyncing([1000]);
    await clock.advance(1000);
    expect(listeners[0]?.heard.sort()).toEqual(["update a@1 to a@1 (resync)", "update b@2 to b@2 (resync)"]);
    await stop();
  });

  test("a relist of unchanged objects comes to no handler, not even to one that resyncs", async () => {
    const { source, clock, after, stop, informer } = await resyncing([0, 60_000], 60_000);
    source.put("b", {}, "unseen");
    source.cutWatches();
    expect(await after(5000)).toEqual([1, 1]);
    expect(informer.status.lists).toBe(2);
    source.cutWatches();
    await clock.settle();
    expect(await after(5000)).toEqual([0, 0]);
    await stop();
  });

  test("is not done at all by an informer without a period, whatever a handler asks for", async () => {
    const { after, stop, lines } = await resyncing([1000], 0);
    expect(await after(10_000)).toEqual([0]);
    expect(lines).toContain("warn: the informer does no resync, so neither does the handler handler=anonymous");
    await stop();
  });

  test("is checked at the smallest period asked for before the start; a smaller one afterwards is raised to it", async () => {
    const hour = 3_600_000;
    const { informer, start, stop, source, clock, lines } = podInformer({ resyncMs: 12 * hour });
    source.put("a");
    const periods = [0, 60_000, 55_000, 5000].map((resyncMs) => informer.addEventHandler({}, { resyncMs }).resyncMs);
    expect(periods).toEqual([0, 60_000, 55_000, 5000]);
    expect(informer.addEventHandler({}).resyncMs).toBe(12 * hour);
    await start();
    const late = recorder();
    expect(informer.addEventHandler(late.handler, { resyncMs: 2000, name: "late" }).resyncMs).toBe(5000);
    expect(lines.at(-1)).toContain("raised to it handler=late");
    await clock.advance(5000);
    expect(late.heard).toEqual(["add a@1 (initial)", "update a@1 to a@1 (resync)"]);
    await stop();
  });

  test("is never more often than every second", () => {
    const { informer } = podInformer({ resyncMs: 60_000 });
    expect(informer.addEventHandler({}, { resyncMs: 10 }).resyncMs).toBe(1000);
  });
});

describe("a life", () => {
  test("begins with run and ends with the signal; there is no second one", async () => {
    const { source, informer, start, stop } = podInformer();
    source.put("a");
    expect([informer.isStarted(), informer.isStopped()]).toEqual([false, false]);
    await start();
    expect([informer.isStarted(), informer.isStopped()]).toEqual([true, false]);
    await expect(informer.run(new AbortController().signal)).rejects.toThrow('informer "pods" runs once only');
    await stop();
    expect([informer.isStarted(), informer.isStopped()]).toEqual([true, true]);
    await expect(informer.run(new AbortController().signal)).rejects.toThrow("runs once only");
    expect(informer.getStore().listKeys()).toEqual(["shop/a"]);
  });

  test("takes no handler and no index any more once stopped; removing still works", async () => {
    const { informer, start, stop } = podInformer();
    const registration = informer.addEventHandler({});
    await start();
    const stopped = stop();
    expect(() => informer.addEventHandler({}, { name: "late" })).toThrow(
      'informer "pods" has stopped: handler "late" was not added',
    );
    await stopped;
    expect(() => informer.addIndexers({ labels: byLabel })).toThrow("indexers were not added");
    informer.removeEventHandler(registration);
    await informer.shutDownEventHandler(registration);
  });

  test("lets transform and watch error handler be set only before it begins", async () => {
    const { informer, start, stop } = podInformer();
    informer.setTransform((pod) => pod);
    informer.setWatchErrorHandler(() => {});
    await start();
    expect(() => informer.setTransform((pod) => pod)).toThrow("has started: the transform can no longer be set");
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow("the watch error handler can no longer be set");
    await stop();
  });

  test("that was over before it began asks the source for nothing", async () => {
    const { informer, source } = podInformer();
    await informer.run(AbortSignal.abort());
    expect([source.lists, informer.isStopped(), informer.hasSynced()]).toEqual([0, true, false]);
  });

  test("stopped in the middle of a list opens no watch", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const release = source.holdLists();
    await start();
    expect(source.lists).toBe(1);
    await stop();
    release();
    await clock.settle();
    expect([source.watches, informer.getStore().size]).toEqual([0, 0]);
  });

  const stops: readonly [when: string, prepare: (set: ReturnType<typeof podInformer>) => Promise<void>][] = [
    [
      "before the first list is there",
      async ({ source, start }) => {
        source.holdLists();
        await start();
      },
    ],
    ["while watching", async ({ start }) => start()],
    [
      "while waiting after a failure",
      async ({ source, start }) => {
        source.listError = new Error("no");
        await start();
      },
    ],
  ];
  for (const [when, prepare] of stops) {
    test(`stopped ${when} leaves nothing behind`, async () => {
      const set = podInformer({ resyncMs: 1000 });
      set.source.put("a");
      const { heard, handler } = recorder();
      set.informer.addEventHandler(handler);
      await prepare(set);
      await set.stop();
      const told = heard.length;
      set.source.put("b");
      await set.clock.settle();
      expect(set.clock.pending()).toEqual([]);
      expect(set.clock.inFlight()).toEqual([]);
      expect([set.source.openWatches, heard.length, getEventListeners(set.signal, "abort").length]).toEqual([
        0,
        told,
        0,
      ]);
    });
  }

  test("stopped with a callback running ends when that has ended", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const gate = deferred();
    const events: string[] = [];
    informer.addEventHandler({
      onAdd: async () => {
        await gate.promise;
        events.push("callback ended");
      },
    });
    source.put("a");
    source.put("b");
    await start();
    const stopped = stop().then(() => events.push("informer ended"));
    await clock.settle();
    expect(events).toEqual([]);
    gate.resolve();
    await stopped;
    expect(events).toEqual(["callback ended", "informer ended"]);
  });
});

describe("liveness", () => {
  test("shows in the status: synced, watching, version, size, counts", async () => {
    const { source, informer, start, stop, clock } = podInformer({ name: "my pods" });
    expect(informer.status).toMatchObject({ name: "my pods", phase: "idle", hasSynced: false, startedMs: undefined });
    source.put("a");
    await start();
    expect(informer.status).toMatchObject({
      name: "my pods",
      phase: "watching",
      hasSynced: true,
      size: 1,
      queued: 0,
      resourceVersion: "1",
      lists: 1,
      watches: 1,
      errors: 0,
      startedMs: clock.now(),
      lastContactMs: clock.now(),
      lastFailure: undefined,
    });
    await stop();
    expect(informer.status.phase).toBe("stopped");
  });

  test("tells who listens of every turn it takes", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const phases: string[] = [];
    const listening = informer.onStatusChange(({ phase, hasSynced }) => {
      const seen = `${phase}${hasSynced ? ", synced" : ""}`;
      if (phases.at(-1) !== seen) phases.push(seen);
    });
    source.listError = new Error("no");
    await start();
    source.listError = undefined;
    await clock.advance(3000);
    await stop();
    expect(phases).toEqual([
      "idle",
      "listing",
      "waiting",
      "listing",
      "watching",
      "watching, synced",
      "stopped, synced",
    ]);
    listening[Symbol.dispose]();
  });

  test("every failure reaches the watch error handler and the status", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    const seen: string[] = [];
    informer.setWatchErrorHandler((error) => void seen.push(error.message));
    source.listError = newForbidden({ group: "", resource: "pods" }, "", { detail: "no access" });
    await start();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain("forbidden");
    source.listError = undefined;
    source.watchError = new Error("no watch");
    await clock.advance(10_000);
    expect(seen).toContain("no watch");
    expect(informer.status).toMatchObject({ errors: seen.length });
    expect(informer.status.lastFailure?.error.message).toBe(seen.at(-1));
    await stop();
  });

  test("an informer that cannot reach its source becomes deaf, says why, and is well again afterwards", async () => {
    const { source, informer, start, stop, clock } = podInformer();
    source.listError = newForbidden({ group: "", resource: "pods" }, "", { detail: "no access" });
    expect(informer.checkHealth()).toEqual({ isHealthy: true });
    await start();
    expect(informer.isDeaf()).toBe(false);
    await clock.advance(61_000);
    expect(informer.checkHealth()).toMatchObject({
      isHealthy: false,
      reason: expect.stringMatching(/61 s: .*forbidden/),
    });
    source.listError = undefined;
    await clock.advance(120_000);
    expect([informer.hasSynced(), informer.isDeaf()]).toEqual([true, false]);
    await clock.advance(60_000);
    expect(informer.isDeaf({ maxSilenceMs: 30_000 })).toBe(true);
    await stop();
  });
});

describe("what is cached", () => {
  test("cannot be changed where the informer freezes", async () => {
    const { source, informer, start, stop } = podInformer({ freeze: true });
    source.put("a", { app: "web" });
    await start();
    const cached = informer.getStore().getByKey("shop/a") as { metadata: { labels: Record<string, string> } };
    expect(() => {
      cached.metadata.labels["seen"] = "yes";
    }).toThrow(TypeError);
    await stop();
  });

  test("an index function that throws leaves out that object, loudly, and nothing else", async () => {
    const { source, informer, start, stop, lines, clock } = podInformer({
      indexers: {
        picky: (pod) => {
          if (pod.metadata.name === "bad") throw new Error("no");
          return ["x"];
        },
      },
    });
    source.put("good");
    source.put("bad");
    await start();
    source.put("better");
    await clock.settle();
    expect(informer.getStore().listKeys().sort()).toEqual(["shop/better", "shop/good"]);
    expect(lines).toContain("error: cache refused an object");
    await stop();
  });
});

test("in virtual time nothing is left to do when a clock is idle", async () => {
  const clock = new FakeClock();
  const { source, informer, start, stop } = podInformer({ clock });
  source.put("a");
  informer.addEventHandler({});
  await start();
  expect(clock.inFlight()).toEqual([]);
  await stop();
});
