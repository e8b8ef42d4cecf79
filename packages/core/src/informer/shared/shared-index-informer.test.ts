import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { deferred, FakeClock, noLog, seededRandom, systemClock } from "../../base/index.ts";
import { isFinalStateUnknown } from "../tombstone.ts";
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

  // Long lists reach the cache in slices, with turns of the event loop in between, and the handlers too where not all of the
  // list is told of.
  test.each([
    ["in the middle of a long list, hears each object once and is told of no change it cannot place", false],
    ["in the middle of a long list of which the cache refuses an object, does so too", true],
  ])("%s", async (_, isRefused) => {
    let looks = 0;
    const clock = { ...systemClock, monotonic: () => looks++ };
    const source = new PodSource();
    const many = 2000;
    for (let i = 0; i < many; i++) source.put(`pod-${i}`);
    const kept = isRefused ? many - 1 : many;
    const refuseOne = ({ metadata }: KubernetesObject) => {
      if (isRefused && metadata.name === "pod-7") throw new Error("refused");
      return [];
    };
    const indexers = { refuseOne };
    const informer = new SharedIndexInformer(source, { clock, random: seededRandom(1), log: noLog, indexers });
    const late: ReturnType<typeof recorder>[] = [];
    const join = () => {
      const joined = recorder();
      late.push(joined);
      return informer.addEventHandler(joined.handler);
    };
    const registrations = [join()];
    const stopping = new AbortController();
    const running = informer.run(stopping.signal);
    let joinedAfterSwap = 0;
    while (!informer.hasSynced()) {
      if (informer.getStore().size === kept) joinedAfterSwap++;
      registrations.push(join());
      await systemClock.yield();
    }
    await Promise.all(registrations.map((each) => each.whenSynced(stopping.signal)));
    while (registrations.some(({ pending }) => pending > 0)) await systemClock.yield();
    // One that the cache takes whole is told of in one go.
    if (isRefused) expect(joinedAfterSwap).toBeGreaterThan(3);
    else expect(joinedAfterSwap).toBe(0);
    expect(late.length).toBeGreaterThan(3);
    for (const { heard } of late) {
      expect(new Set(heard).size).toBe(heard.length);
      expect(heard).toHaveLength(kept);
      expect(heard.every((line) => line.startsWith("add ") && line.endsWith("(initial)"))).toBe(true);
    }
    stopping.abort();
    await running;
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
