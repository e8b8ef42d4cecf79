import { describe, expect, test } from "vitest";
import { defineResource } from "../../api/resource.ts";
import { type Deferred, deferred, FakeClock, untilAborted } from "../../base/index.ts";
import { CachedDiscovery, type CachedDiscoveryOptions } from "./cached-discovery.ts";
import type { Discovered } from "./discovered.ts";

const { signal } = new AbortController();
const answer = (failures: readonly string[] = []): Discovered => ({
  groups: [],
  resources: [defineResource({ group: "", version: "v1", kind: "Pod", plural: "pods" })],
  failures: new Map(failures.map((one) => [one, new Error(`${one} failed`)])),
});

/** A discovery whose reads a test ends one by one. */
function slowDiscovery(options: Omit<CachedDiscoveryOptions, "clock"> = {}) {
  const clock = new FakeClock();
  const reads: (Deferred<Discovered> & { readonly signal: AbortSignal })[] = [];
  const discover = (own: AbortSignal) => {
    const read = { ...deferred<Discovered>(), signal: own };
    reads.push(read);
    return untilAborted(read.promise, own);
  };
  return { clock, reads, cached: new CachedDiscovery({ discover }, { ...options, clock }) };
}

/** A discovery that answers at once, with the next of these or with the last. */
function quickDiscovery(answers: readonly (Discovered | Error)[], options: Omit<CachedDiscoveryOptions, "clock"> = {}) {
  const clock = new FakeClock();
  let reads = 0;
  const discover = async () => {
    const next = answers[Math.min(reads++, answers.length - 1)];
    if (next === undefined || next instanceof Error) throw next;
    return next;
  };
  return { clock, reads: () => reads, cached: new CachedDiscovery({ discover }, { ...options, clock }) };
}

describe("time", () => {
  for (const [fact, failures, options, afterMs, expected] of [
    ["is kept for ten minutes", [], {}, 599_999, 1],
    ["is read again after ten minutes", [], {}, 600_000, 2],
    ["is kept for half a minute if something failed", ["a/v1"], {}, 29_999, 1],
    ["is read again after half a minute if something failed", ["a/v1"], {}, 30_000, 2],
    ["is kept as long as one says", [], { ttlMs: 5000 }, 4999, 1],
    ["is read again after what one says", [], { ttlMs: 5000 }, 5000, 2],
    ["is never kept longer because something failed", ["a/v1"], { ttlMs: 5000 }, 5000, 2],
    ["is never kept with no time to live", [], { ttlMs: 0 }, 0, 2],
    ["is kept for ever if one says so", [], { ttlMs: Number.POSITIVE_INFINITY }, 1e12, 1],
  ] as const) {
    test(`an answer ${fact}`, async () => {
      const { clock, cached, reads } = quickDiscovery([answer(failures)], options);
      await cached.discover(signal);
      await clock.advance(afterMs);
      await cached.discover(signal);
      expect(reads()).toBe(expected);
    });
  }

  test("a jump of the wall clock means nothing", async () => {
    const { clock, cached, reads } = quickDiscovery([answer()]);
    await cached.discover(signal);
    clock.setWallTime(0);
    await cached.discover(signal);
    expect(reads()).toBe(1);
  });
});

describe("sharing", () => {
  test("concurrent callers share one read", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const callers = [cached.discover(signal), cached.discover(signal), cached.discover(signal)];
    await clock.settle();
    const found = answer();
    reads[0]?.resolve(found);
    expect(await Promise.all(callers)).toEqual([found, found, found]);
    expect(reads).toHaveLength(1);
  });

  test("one who gives up is let go at once and disturbs no other", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const controller = new AbortController();
    const impatient = cached.discover(controller.signal);
    const patient = cached.discover(signal);
    await clock.settle();
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    const found = answer();
    reads[0]?.resolve(found);
    expect(await patient).toBe(found);
    expect(await cached.discover(signal)).toBe(found);
    expect(reads).toHaveLength(1);
  });

  test("a read that all have given up on is aborted, and the next caller begins another", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const controller = new AbortController();
    const impatient = cached.discover(controller.signal);
    await clock.settle();
    controller.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    expect(reads[0]?.signal.aborted).toBe(true);
    expect(cached.lastFailure).toBeUndefined();
    const next = cached.discover(signal);
    await clock.settle();
    const found = answer();
    reads[1]?.resolve(found);
    expect(await next).toBe(found);
  });

  test("one who has given up before asks nothing, whatever is kept", async () => {
    const { cached, reads } = quickDiscovery([answer()]);
    await cached.discover(signal);
    await expect(cached.discover(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    expect(reads()).toBe(1);
  });
});

describe("invalidating", () => {
  test("makes the next caller read", async () => {
    const old = answer();
    const young = answer();
    const { cached } = quickDiscovery([old, young]);
    expect(await cached.discover(signal)).toBe(old);
    cached.invalidate();
    expect(await cached.discover(signal)).toBe(young);
    expect(await cached.discover(signal)).toBe(young);
  });

  test("during a read: who asked before gets it, who asks afterwards gets the next", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const before = cached.discover(signal);
    await clock.settle();
    cached.invalidate();
    const after = cached.discover(signal);
    const old = answer();
    const young = answer();
    reads[0]?.resolve(old);
    await clock.settle();
    reads[1]?.resolve(young);
    expect(await before).toBe(old);
    expect(await after).toBe(young);
    expect(await cached.discover(signal)).toBe(young);
    expect(reads).toHaveLength(2);
  });

  test("during a read that fails: who asks afterwards does not hear of that", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const before = cached.discover(signal);
    await clock.settle();
    cached.invalidate();
    const after = cached.discover(signal);
    reads[0]?.reject(new Error("down"));
    await expect(before).rejects.toThrow("down");
    await clock.settle();
    const young = answer();
    reads[1]?.resolve(young);
    expect(await after).toBe(young);
  });

  test("before the first read means nothing", async () => {
    const { cached, reads } = quickDiscovery([answer()]);
    cached.invalidate();
    await cached.discover(signal);
    expect(reads()).toBe(1);
  });
});

describe("refreshing", () => {
  test("reads anew and replaces what was kept", async () => {
    const old = answer();
    const young = answer();
    const { cached, reads } = quickDiscovery([old, young]);
    await cached.discover(signal);
    expect(await cached.refresh(signal)).toBe(young);
    expect(await cached.discover(signal)).toBe(young);
    expect(reads()).toBe(2);
  });

  test("is not satisfied by a read that had begun before, and is shared by those who ask meanwhile", async () => {
    const { clock, cached, reads } = slowDiscovery();
    const first = cached.discover(signal);
    await clock.settle();
    const refreshes = [cached.refresh(signal), cached.refresh(signal)];
    const old = answer();
    const young = answer();
    reads[0]?.resolve(old);
    expect(await first).toBe(old);
    await clock.settle();
    reads[1]?.resolve(young);
    expect(await Promise.all(refreshes)).toEqual([young, young]);
    expect(reads).toHaveLength(2);
  });

  test("that fails leaves what was kept", async () => {
    const old = answer();
    const { cached } = quickDiscovery([old, new Error("down")]);
    await cached.discover(signal);
    await expect(cached.refresh(signal)).rejects.toThrow("down");
    expect(await cached.discover(signal)).toBe(old);
    expect(cached.lastFailure?.message).toBe("down");
  });
});

describe("failing", () => {
  test("is thrown to all who wait, and not kept", async () => {
    const found = answer();
    const { cached, reads } = quickDiscovery([new Error("down"), found]);
    const [one, other] = await Promise.allSettled([cached.discover(signal), cached.discover(signal)]);
    expect([one?.status, other?.status]).toEqual(["rejected", "rejected"]);
    expect(await cached.discover(signal)).toBe(found);
    expect(reads()).toBe(2);
    expect(cached.lastFailure).toBeUndefined();
  });

  for (const [onFailure, expected] of [
    ["throw", "down"],
    ["stale", "old"],
  ] as const) {
    for (const [how, age] of [
      ["expired", (clock: FakeClock) => clock.advance(600_000)],
      ["invalidated", async (_: FakeClock, cached: CachedDiscovery) => cached.invalidate()],
    ] as const) {
      test(`with ${how} data and onFailure: ${onFailure}`, async () => {
        const old = answer();
        const { clock, cached, reads } = quickDiscovery([old, new Error("down")], { onFailure });
        await cached.discover(signal);
        await age(clock, cached);
        const result = await cached.discover(signal).catch((error: Error) => error.message);
        expect(result === old ? "old" : result).toBe(expected);
        expect(cached.lastFailure?.message).toBe("down");
        await cached.discover(signal).catch(() => {});
        expect(reads(), "every caller tries again").toBe(3);
      });
    }
  }

  test("with nothing to fall back on is thrown even so", async () => {
    const { cached } = quickDiscovery([new Error("down")], { onFailure: "stale" });
    await expect(cached.discover(signal)).rejects.toThrow("down");
  });
});
