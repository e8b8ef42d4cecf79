import { describe, expect, test } from "vitest";
import { newForbidden, newNotFound, TransportError } from "../../api/index.ts";
import { type Clock, FakeClock, timeoutSignal } from "../../base/index.ts";
import { listLog, podInformer } from "../shared/running-informer.fixture.ts";
import { SyncGate } from "./sync-gate.ts";
import { CacheSyncError } from "./sync-result.ts";
import type { Syncing } from "./syncing.ts";
import { waitFor, waitForCacheSync, waitForNamedCacheSync } from "./wait-for-cache-sync.ts";

const never = new AbortController().signal;

/** In sync after so long; never, if undefined. */
function checkerOf(clock: Clock, name: string, afterMs: number | undefined): Syncing {
  const gate = new SyncGate();
  if (afterMs === 0) gate.open();
  else if (afterMs !== undefined) clock.after(afterMs, () => gate.open());
  return { name, hasSynced: () => gate.isOpen, whenSynced: (signal) => gate.wait(signal) };
}

interface Row {
  readonly fact: string;
  readonly what?: string;
  readonly delays: Readonly<Record<string, number | undefined>>;
  readonly giveUpAfterMs?: number;
  readonly isSynced: boolean;
  readonly log: readonly string[];
}

const inTime = { first: 10_000, second: 5000, last: 0 };
const oneNever = { first: 10_000, second: undefined, last: 0 };

const rows: readonly Row[] = [
  { fact: "nothing to wait for is done, silently", delays: {}, isSynced: true, log: [] },
  {
    fact: "nothing to wait for with a name says so",
    what: "mine",
    delays: {},
    isSynced: true,
    log: ["0: info: waiting"],
  },
  { fact: "without a name nothing is logged", delays: inTime, isSynced: true, log: [] },
  {
    fact: "each is logged when it is there",
    what: "mine",
    delays: inTime,
    isSynced: true,
    log: [
      "0: info: waiting",
      "0: info: done waiting instance=last",
      "5000: info: done waiting instance=second",
      "10000: info: done waiting instance=first",
    ],
  },
  {
    fact: "those that are not there in time are named",
    what: "mine",
    delays: oneNever,
    giveUpAfterMs: 60_000,
    isSynced: false,
    log: [
      "0: info: waiting",
      "0: info: done waiting instance=last",
      "10000: info: done waiting instance=first",
      "60000: warn: gave up waiting instances=second cause=the wait timed out after 60000 ms",
    ],
  },
  {
    fact: "what is there already counts even if the wait was over before it began",
    what: "mine",
    delays: oneNever,
    giveUpAfterMs: -1,
    isSynced: false,
    log: [
      "0: info: waiting",
      "0: info: done waiting instance=last",
      "0: warn: gave up waiting instances=first,second cause=go fish",
    ],
  },
  {
    fact: "all that are missing are named in order",
    what: "mine",
    delays: { first: undefined, second: undefined, last: undefined },
    giveUpAfterMs: 5000,
    isSynced: false,
    log: [
      "0: info: waiting",
      "5000: warn: gave up waiting instances=first,last,second cause=the wait timed out after 5000 ms",
    ],
  },
];

describe("waiting for several", () => {
  for (const { fact, what, delays, giveUpAfterMs, isSynced, log } of rows) {
    test(fact, async () => {
      const clock = new FakeClock();
      const lines: string[] = [];
      const timed = new Proxy(lines, {
        get: (target, property) =>
          property === "push"
            ? (line: string) => target.push(`${clock.monotonic()}: ${line}`)
            : Reflect.get(target, property),
      });
      const checkers = Object.entries(delays).map(([name, afterMs]) => checkerOf(clock, name, afterMs));
      const signal =
        giveUpAfterMs === undefined
          ? never
          : giveUpAfterMs < 0
            ? AbortSignal.abort(new Error("go fish"))
            : timeoutSignal(never, giveUpAfterMs, { clock, what: "the wait" }).signal;
      const options = { log: listLog(timed), ...(what === undefined ? {} : { what }) };
      const result = await clock.drive(waitFor(checkers, options, signal));
      expect([result.isSynced, lines]).toEqual([isSynced, log]);
      expect(clock.pending()).toHaveLength(giveUpAfterMs === -1 ? 1 : 0);
    });
  }
});

test("one that is there counts, even if it says no more than that the wait is over", async () => {
  const checker: Syncing = {
    name: "curt",
    hasSynced: () => true,
    whenSynced: async (signal) => signal.throwIfAborted(),
  };
  const lines: string[] = [];
  const result = await waitFor([checker], { what: "mine", log: listLog(lines) }, AbortSignal.abort());
  expect([result.isSynced, lines]).toEqual([true, ["info: waiting", "info: done waiting instance=curt"]]);
});

describe("waiting for the caches of informers", () => {
  test("is over when all have synced", async () => {
    const [pods, more] = [podInformer(), podInformer()];
    await pods.start();
    const waiting = waitForCacheSync(never, pods.informer, more.informer);
    await more.start();
    expect(await waiting).toBe(true);
    await expect(waitForNamedCacheSync("mine", never, pods.informer)).resolves.toBeUndefined();
    await pods.stop();
    await more.stop();
  });

  test("is given up when the signal aborts", async () => {
    const { informer } = podInformer();
    expect(await waitForCacheSync(AbortSignal.abort(), informer)).toBe(false);
  });

  test("is over at once when an informer is stopped: it will never sync", async () => {
    const { source, informer, start, stop } = podInformer();
    const other = podInformer({ name: "others" });
    source.holdLists();
    await start();
    const waiting = waitForNamedCacheSync("mine", never, informer, other.informer);
    await Promise.all([
      stop(),
      expect(waiting).rejects.toThrow(
        /^failed to sync all caches of mine: others; pods \(since .*\): informer "pods" was stopped/,
      ),
    ]);
  });

  test("goes for handlers as well", async () => {
    const { source, informer, start, stop } = podInformer();
    source.put("a");
    const registration = informer.addEventHandler({});
    await start();
    expect(await waitForCacheSync(never, informer, registration)).toBe(true);
    await stop();
  });

  const causes: readonly [why: string, error: Error, words: string][] = [
    [
      "forbidden",
      newForbidden({ group: "", resource: "pods" }, "", { detail: "no access" }),
      "pods (since 2030-01-01T00:00:00.000Z): pods is forbidden: no access",
    ],
    [
      "no such resource",
      newNotFound({ group: "shop.io", resource: "carts" }, "all"),
      'pods (since 2030-01-01T00:00:00.000Z): no such resource on this server: carts.shop.io "all" not found',
    ],
    [
      "connection refused",
      new TransportError("connecting failed: ECONNREFUSED", { reason: "ConnectionRefused", wasSent: "no" }),
      "pods (since 2030-01-01T00:00:00.000Z): connection refused: connecting failed: ECONNREFUSED",
    ],
    [
      "refused somewhere below",
      new Error("list failed", {
        cause: new TransportError("x", { reason: "ConnectionRefused", wasSent: "no" }),
      }),
      "pods (since 2030-01-01T00:00:00.000Z): connection refused: list failed",
    ],
    ["something else", new Error("out of luck"), "pods (since 2030-01-01T00:00:00.000Z): out of luck"],
  ];
  for (const [why, error, words] of causes) {
    test(`says who failed, since when and why: ${why}`, async () => {
      const { source, informer, start, stop, clock } = podInformer();
      source.listError = error;
      await start();
      const limit = timeoutSignal(never, 5000, { clock, what: "the wait" });
      const failure = await clock.drive(
        waitForNamedCacheSync("mine", limit.signal, informer).catch((thrown) => thrown),
      );
      expect(failure).toBeInstanceOf(CacheSyncError);
      expect(failure.message).toBe(`failed to sync all caches of mine: ${words} (the wait timed out after 5000 ms)`);
      expect([failure.reason, failure.cause, failure.unsynced.length]).toEqual(["CacheSync", limit.signal.reason, 1]);
      await stop();
    });
  }
});

describe("a plain function", () => {
  const waiting = (isSynced: () => boolean, giveUpAfterMs = 60_000) => {
    const clock = new FakeClock();
    const stop = new AbortController();
    clock.after(giveUpAfterMs, () => stop.abort(new Error("time is up")));
    return { clock, result: waitFor([isSynced], { clock }, stop.signal) };
  };

  test("is waited for until it returns true", async () => {
    let isFilled = false;
    let asked = 0;
    const { clock, result } = waiting(() => {
      asked++;
      return isFilled;
    });
    await clock.advance(1000);
    expect(asked).toBe(11);
    isFilled = true;
    await clock.advance(100);
    expect([(await result).isSynced, asked]).toEqual([true, 12]);
  });

  test("that never returns true is named when time is up", async () => {
    const isFilled = () => false;
    const { clock, result } = waiting(isFilled);
    await clock.advance(60_000);
    expect((await result).asError()?.message).toBe("failed to sync all caches: isFilled (time is up)");
  });

  test("that throws ends the wait with what it threw", async () => {
    const { result } = waiting(() => {
      throw new Error("no cache");
    });
    expect((await result).asError()?.message).toBe("failed to sync all caches: a function: no cache (no cache)");
  });

  test("is as good as an informer to waitForCacheSync and waitForNamedCacheSync", async () => {
    const { informer, start, stop, signal } = podInformer();
    await start();
    expect(await waitForCacheSync(signal, informer, () => informer.hasSynced())).toBe(true);
    await waitForNamedCacheSync("mine", signal, () => true);
    const aborted = AbortSignal.abort(new Error("too late"));
    expect(await waitForCacheSync(aborted, () => true)).toBe(true);
    expect(await waitForCacheSync(aborted, () => false)).toBe(false);
    await stop();
  });
});
