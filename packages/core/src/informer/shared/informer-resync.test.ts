import { describe, expect, test } from "vitest";
import { recorder } from "./notifications.fixture.ts";
import { podInformer } from "./running-informer.fixture.ts";

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

test.each(["in-order", "delta-fifo"] as const)("a resync tells of every object, over the %s queue", async (queue) => {
  const { source, informer, start, stop, clock } = podInformer({ resyncMs: 1000, queue });
  for (const name of ["a", "b", "c"]) source.put(name);
  const { heard, handler } = recorder();
  const other = recorder();
  informer.addEventHandler(handler);
  informer.addEventHandler(other.handler, { resyncMs: 3000 });
  await start();
  heard.length = 0;
  other.heard.length = 0;
  await clock.advance(1000);
  const all = ["update a@1 to a@1 (resync)", "update b@2 to b@2 (resync)", "update c@3 to c@3 (resync)"];
  expect([heard, other.heard]).toEqual([all, []]);
  await clock.advance(2000);
  expect([heard, other.heard]).toEqual([[...all, ...all, ...all], all]);
  await stop();
});
