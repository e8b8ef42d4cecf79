import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { KubernetesObject } from "../api/index.ts";
import { type Deferred, deferred, FakeClock } from "../base/index.ts";
import type { AwaitedWrite } from "./awaited-writes.ts";
import { cacheOf, lostGenerated, never, owner, pod, readerOf } from "./own-writes.fixture.ts";
import { SettlingReads, type SettlingReadsOptions } from "./settling-reads.ts";
import type { Expected } from "./sightings.ts";

const cache = cacheOf([]);
const awaited = (key: string, expected: Expected): AwaitedWrite => ({ key, expected, cache, isOver: false });
const lostNamed = (key: string, objectKey: string) => awaited(key, { kind: "lost", resource: pods, key: objectKey });
const lostChild = (key: string, more: Parameters<typeof lostGenerated>[0] = {}) => awaited(key, lostGenerated(more));

function newReads(live: readonly KubernetesObject[] = []) {
  const clock = new FakeClock();
  const server = readerOf(live);
  const underWay: Deferred<void>[] = [];
  let isHeld = false;
  let failure: Error | undefined;
  let most = 0;
  const held = async <R>(answer: Promise<R>): Promise<R> => {
    const gate = deferred();
    underWay.push(gate);
    most = Math.max(most, underWay.length);
    if (!isHeld) gate.resolve();
    await gate.promise;
    underWay.splice(underWay.indexOf(gate), 1);
    if (failure !== undefined) throw failure;
    return await answer;
  };
  const reader: SettlingReadsOptions["reader"] = {
    get: (...request) => held(server.get(...request)),
    list: (...request) => held(server.list(...request)),
  };
  const settled: string[] = [];
  const print = (expected: Expected) => (expected.kind === "written" ? `${expected.key} ${expected.version}` : "?");
  const reads = new SettlingReads({
    ...{ reader, clock, onRead: () => {} },
    onSettled: ({ key }, expected) => settled.push(`${key}: ${expected.map(print).join(", ")}`),
  });
  return {
    ...{ clock, reads, settled, asked: server.asked },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const gate of underWay) gate.resolve();
    },
    fail: (error: Error | undefined) => {
      failure = error;
    },
    most: () => most,
  };
}

describe("reads that settle writes", () => {
  test("many creates of generated names take one list, and the owner's children are told once", async () => {
    const child = pod("web-1", { ownerReferences: [owner], resourceVersion: "8" });
    const { reads, asked, settled } = newReads([child]);
    const writes = Array.from({ length: 64 }, () => lostChild("k"));
    expect(await reads.settle(writes, never)).toBe(0);
    expect(asked).toEqual(["list shop"]);
    expect(settled.filter((each) => each === "k: shop/web-1 8")).toHaveLength(1);
    expect(settled).toHaveLength(64);
  });

  test("which is narrowed to the labels they have in common", async () => {
    const { reads, asked } = newReads();
    const labels = [
      { app: "web", hash: "1" },
      { app: "web", hash: "2" },
    ];
    await reads.settle(
      labels.map((each) => lostChild("k", { labels: each })),
      never,
    );
    expect(asked).toEqual(["list shop app=web"]);
  });

  test("one list settles what other keys lost before it began, too", async () => {
    const { reads, asked, settled } = newReads();
    const [mine, others] = [lostChild("mine"), lostChild("other", { ownerUid: "another" })];
    reads.add(others);
    await reads.settle([mine], never);
    expect(await reads.settle([], never)).toBe(0);
    expect(settled).toEqual(["other: ", "mine: "]);
    expect(asked).toEqual(["list shop"]);
  });

  test("keys that ask while a list is under way share it; what was lost since needs another", async () => {
    const { reads, asked, settled, hold, release, clock } = newReads();
    hold();
    const early = lostChild("early");
    reads.add(early);
    const first = reads.settle([lostChild("first")], never);
    await clock.settle();
    const sharing = reads.settle([early], never);
    const late = reads.settle([lostChild("late")], never);
    await clock.settle();
    expect(asked).toEqual(["list shop"]);
    release();
    await Promise.all([first, sharing, late]);
    expect(asked).toEqual(["list shop", "list shop"]);
    expect(settled).toEqual(["early: ", "first: ", "late: "]);
  });

  test("a few named objects are read one by one, four at a time; many by one list", async () => {
    const few = newReads([pod("p0", { resourceVersion: "8" })]);
    few.hold();
    const reading = few.reads.settle(
      Array.from({ length: 8 }, (_, i) => lostNamed("k", `shop/p${i}`)),
      never,
    );
    await few.clock.settle();
    expect(few.asked).toHaveLength(4);
    few.release();
    await reading;
    expect(few.most()).toBe(4);
    expect(few.asked).toEqual(Array.from({ length: 8 }, (_, i) => `get shop/p${i}`));
    expect(few.settled[0]).toBe("k: shop/p0 8");

    const many = newReads([pod("p0", { resourceVersion: "8" })]);
    await many.reads.settle(
      Array.from({ length: 200 }, (_, i) => lostNamed("k", `shop/p${i}`)),
      never,
    );
    expect(many.asked).toEqual(["list shop"]);
    expect(many.settled.slice(0, 2)).toEqual(["k: shop/p0 8", "k: "]);
  });

  test("not more than four are under way, in however many namespaces", async () => {
    const { reads, asked, hold, release, most, clock } = newReads();
    hold();
    const writes = Array.from({ length: 20 }, (_, i) => lostChild("k", { namespace: `n${i}` }));
    const settling = reads.settle(writes, never);
    await clock.settle();
    expect(asked).toHaveLength(4);
    release();
    await settling;
    expect([asked.length, most()]).toEqual([20, 4]);
  });

  test("who is aborted does not disturb the others, and leaves the line", async () => {
    const { reads, asked, hold, release, clock } = newReads();
    hold();
    const busy = reads.settle(
      Array.from({ length: 4 }, (_, i) => lostChild("k", { namespace: `n${i}` })),
      never,
    );
    await clock.settle();
    const stop = new AbortController();
    const waiting = reads.settle([lostChild("k", { namespace: "late" })], stop.signal);
    await clock.settle();
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    release();
    await busy;
    expect(asked).toHaveLength(4);
    expect(await reads.settle([lostChild("k")], never)).toBe(0);
  });

  test("a server that fails is left alone for a while, longer each time, by all keys", async () => {
    const { reads, asked, fail, clock } = newReads();
    const write = lostChild("k");
    fail(new Error("down"));
    await expect(reads.settle([write], never)).rejects.toThrow("down");
    expect(await reads.settle([write], never)).toBe(200);
    expect(await reads.settle([lostChild("other")], never)).toBe(200);
    expect(asked).toHaveLength(1);
    await clock.advance(200);
    await expect(reads.settle([write], never)).rejects.toThrow("down");
    expect(await reads.settle([write], never)).toBe(400);
    fail(undefined);
    await clock.advance(400);
    expect(await reads.settle([write], never)).toBe(0);
    expect(asked).toHaveLength(3);
  });

  test("what fails for another key is not held against one whose own was answered", async () => {
    const settled: string[] = [];
    const reads = new SettlingReads({
      reader: {
        get: async (_resource, key) => (key === "shop/bad" ? Promise.reject(new Error("down")) : undefined),
        list: async () => ({ items: [], resourceVersion: "9" }),
      },
      clock: new FakeClock(),
      onRead: () => {},
      onSettled: ({ key }) => settled.push(key),
    });
    const bad = lostNamed("bad", "shop/bad");
    reads.add(bad);
    expect(await reads.settle([lostNamed("good", "shop/good")], never)).toBe(0);
    expect(settled).toEqual(["good"]);
    expect(await reads.settle([bad], never)).toBe(200);
  });

  test("one that does not answer is given up after half a minute", async () => {
    const { reads, clock } = newReads();
    const silent = new SettlingReads({
      reader: { get: (_r, _k, _v, signal) => hang(signal), list: (_r, _q, signal) => hang(signal) },
      ...{ clock, onRead: () => {}, onSettled: () => {} },
    });
    const settling = expect(silent.settle([lostChild("k")], never)).rejects.toThrow("timed out");
    await clock.advance(30_000);
    await settling;
    expect(await reads.settle([], never)).toBe(0);
  });
});

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}
