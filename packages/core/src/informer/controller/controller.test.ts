import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../api/index.ts";
import { deferred, FakeClock, noLog, seededRandom, systemClock, untilAborted } from "../../base/index.ts";
import { DeltaFIFO } from "../queue/delta-fifo.ts";
import { InOrderQueue } from "../queue/in-order-queue.ts";
import type { Batch, BatchQueue } from "../queue/queue.ts";
import { RequeueError } from "../requeue-error.ts";
import { PodSource } from "../shared/pod-source.fixture.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc as keyOf } from "../store/key-functions.ts";
import { Controller, type ControllerConfig } from "./controller.ts";

type Config = Partial<ControllerConfig<KubernetesObject>> & Pick<ControllerConfig<KubernetesObject>, "process">;

function setUp(config: Config) {
  const clock = new FakeClock();
  const source = new PodSource();
  const controller = new Controller({
    log: noLog,
    queue: new InOrderQueue<KubernetesObject>({ keyOf, clock }),
    listerWatcher: source,
    clock,
    random: seededRandom(1),
    ...config,
  });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    clock,
    source,
    controller,
    async start() {
      running = controller.run(stopping.signal);
      await clock.settle();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    signal: stopping.signal,
  };
}

const printBatch = ({ deltas, isInInitialList }: Batch<KubernetesObject>) =>
  `${isInInitialList ? "initial " : ""}${deltas.map(({ type }) => type).join("+")}`;

function recordingProcess(then: (batch: Batch<KubernetesObject>) => void | Promise<void> = () => {}) {
  const seen: string[] = [];
  const process = (batch: Batch<KubernetesObject>) => {
    seen.push(printBatch(batch));
    return then(batch);
  };
  return { seen, process };
}

describe("a controller", () => {
  test("has every batch processed in order, and is in sync after those of the first list", async () => {
    const { seen, process } = recordingProcess();
    const { source, controller, start, stop, clock, signal } = setUp({ process });
    source.put("a");
    expect([controller.hasSynced(), controller.lastSyncResourceVersion()]).toEqual([false, ""]);
    await start();
    await controller.whenSynced(signal);
    source.put("a");
    await clock.settle();
    source.delete("a");
    await clock.settle();
    expect(seen).toEqual(["initial ReplacedAll", "Updated", "Deleted"]);
    expect([controller.hasSynced(), controller.lastSyncResourceVersion()]).toEqual([true, "3"]);
    await stop();
  });

  test("waits for processing that takes time before it takes the next batch", async () => {
    const gate = deferred();
    const { seen, process } = recordingProcess(() => gate.promise);
    const { source, controller, start, stop, clock } = setUp({ process });
    await start();
    source.put("a");
    source.put("b");
    await clock.settle();
    expect([seen.length, controller.hasSynced()]).toEqual([1, false]);
    gate.resolve();
    await clock.settle();
    expect([seen, controller.hasSynced()]).toEqual([["initial ReplacedAll", "Added+Added"], true]);
    await stop();
  });

  const failures: readonly [how: string, fail: () => void | Promise<void>][] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
  ];
  for (const [how, fail] of failures) {
    test(`reports processing that ${how}, and goes on with the next batch`, async () => {
      const errors: string[] = [];
      const { seen, process } = recordingProcess(() => (seen.length < 2 ? fail() : undefined));
      const onProcessError = (error: unknown, batch: Batch<KubernetesObject>) => {
        errors.push(`${(error as Error).message} at ${printBatch(batch)}`);
        throw new Error("the one who hears of it fails, too");
      };
      const { source, controller, start, stop, clock } = setUp({ process, onProcessError });
      await start();
      source.put("a");
      await clock.settle();
      expect(errors).toEqual(["no at initial ReplacedAll"]);
      expect([seen, controller.hasSynced()]).toEqual([["initial ReplacedAll", "Added"], true]);
      await stop();
    });

    test(`with retryOnError, tries again what ${how} until it works, ever more slowly`, async () => {
      const clock = new FakeClock();
      const times: number[] = [];
      const { seen, process } = recordingProcess(() => {
        times.push(clock.monotonic());
        return seen.length < 5 || seen.length === 6 ? fail() : undefined;
      });
      const known = new IndexedStore<KubernetesObject>();
      const queue = new DeltaFIFO<KubernetesObject>({ keyOf, knownObjects: known, clock });
      const { source, controller, start, stop } = setUp({ process, queue, retryOnError: true, clock });
      source.put("a");
      await start();
      expect(controller.hasSynced()).toBe(false);
      await clock.advance(1000);
      expect(seen).toEqual(Array.from({ length: 5 }, () => "initial Replaced"));
      expect(times).toEqual([0, 5, 15, 35, 75]);
      expect(controller.hasSynced()).toBe(true);
      // Once it has worked, the next failure is the first again.
      source.put("a");
      await clock.advance(1000);
      expect([seen.length, (times[6] ?? 0) - (times[5] ?? 0)]).toEqual([7, 5]);
      await stop();
    });
  }

  const queues: readonly [string, () => BatchQueue<KubernetesObject>, string][] = [
    ["DeltaFIFO", () => new DeltaFIFO<KubernetesObject>({ keyOf }), "initial Replaced"],
    ["InOrderQueue", () => new InOrderQueue<KubernetesObject>({ keyOf }), "initial ReplacedAll"],
  ];
  for (const [name, open, first] of queues) {
    test(`processes again what throws a RequeueError, without retryOnError too, from a ${name}`, async () => {
      const errors: unknown[] = [];
      const cause = new Error("not yet");
      const { seen, process } = recordingProcess(() => {
        if (seen.length === 1) throw new RequeueError();
        if (seen.length === 2) return Promise.reject(new RequeueError(cause));
        return undefined;
      });
      const onProcessError = (error: unknown) => errors.push(error);
      const { source, controller, start, stop, clock } = setUp({ process, queue: open(), onProcessError });
      source.put("a");
      await start();
      expect([seen, controller.hasSynced()]).toEqual([[first], false]);
      await clock.advance(1000);
      expect([seen, controller.hasSynced()]).toEqual([[first, first, first], true]);
      expect(errors).toEqual([cause]);
      await stop();
    });
  }

  test("keeps the order of an InOrderQueue when a RequeueError puts a batch back", async () => {
    const { seen, process } = recordingProcess(() => {
      if (seen.length === 2) throw new RequeueError();
    });
    const { source, start, stop, clock } = setUp({ process });
    await start();
    source.put("a");
    await clock.settle();
    source.delete("a");
    await clock.advance(1000);
    expect(seen).toEqual(["initial ReplacedAll", "Added", "Added", "Deleted"]);
    await stop();
  });

  test("refuses to retry with a queue that takes nothing back", () => {
    expect(() => setUp({ process: () => {}, retryOnError: true })).toThrow(
      "retryOnError needs a queue with requeue(), such as DeltaFIFO",
    );
  });

  test("asks its queue to resync, every so often and if someone wants it", async () => {
    let asked = 0;
    const { seen, process } = recordingProcess();
    const shouldResync = () => ++asked % 2 === 0;
    const { start, stop, clock } = setUp({ process, fullResyncPeriodMs: 1000, shouldResync });
    await start();
    await clock.advance(4000);
    expect([asked, seen]).toEqual([4, ["initial ReplacedAll", "SyncAll", "SyncAll"]]);
    await stop();
  });

  test("drops what is not of the kind it is for", async () => {
    const batches: Batch<KubernetesObject>[] = [];
    const { source, start, stop } = setUp({
      process: (batch) => void batches.push(batch),
      objectType: { apiVersion: "v1", kind: "Node" },
    });
    source.put("a");
    await start();
    expect(batches.map(({ deltas }) => deltas)).toEqual([[{ type: "ReplacedAll", objects: [], resourceVersion: "1" }]]);
    await stop();
  });

  test("shows every failure of its source to the watch error handler", async () => {
    const seen: string[] = [];
    const { source, start, stop, controller } = setUp({
      process: () => {},
      watchErrorHandler: (error) => void seen.push(error.message),
    });
    source.listError = new Error("access denied");
    await start();
    expect([seen, controller.reflectorStatus.phase]).toEqual([["access denied"], "waiting"]);
    await stop();
  });

  test("runs once, ends with its signal, and tells those who wait for its sync that it will not come", async () => {
    const { source, controller, start, stop, clock } = setUp({ process: () => {} });
    source.holdLists();
    await start();
    const waiting = controller.whenSynced(new AbortController().signal);
    await expect(controller.run(new AbortController().signal)).rejects.toThrow("runs once only");
    await Promise.all([stop(), expect(waiting).rejects.toThrow("ended before it had synced")]);
    expect([clock.pending(), source.openWatches]).toEqual([[], 0]);
  });

  test("has not synced when its signal breaks off the processing of the first list", async () => {
    const { source, controller, start, stop, signal } = setUp({
      process: (_batch, each) => untilAborted(new Promise<void>(() => {}), each),
    });
    source.put("a");
    await start();
    const synced = expect(controller.whenSynced(new AbortController().signal)).rejects.toThrow("ended before it had");
    await stop();
    await synced;
    expect([signal.aborted, controller.hasSynced()]).toEqual([true, false]);
  });

  test("processes nothing more once its signal has aborted, and waits for what is being processed", async () => {
    const gate = deferred();
    const { seen, process } = recordingProcess(() => (seen.length === 2 ? gate.promise : undefined));
    const { source, start, stop, clock } = setUp({ process });
    await start();
    source.put("a");
    await clock.settle();
    source.put("a");
    await clock.settle();
    let hasEnded = false;
    const stopped = stop().then(() => {
      hasEnded = true;
    });
    await clock.settle();
    expect(hasEnded).toBe(false);
    gate.resolve();
    await stopped;
    expect(seen).toEqual(["initial ReplacedAll", "Added"]);
  });

  test("lets the event loop have its turn every few milliseconds", async () => {
    let nowMs = 0;
    let turns = 0;
    const clock = {
      ...systemClock,
      monotonic: () => nowMs++,
      yield: () => {
        turns++;
        return systemClock.yield();
      },
    };
    const queue = new InOrderQueue<KubernetesObject>({ keyOf, clock, maxBatch: 1 });
    const done = deferred();
    let processed = 0;
    const process = () => {
      if (++processed === 200) done.resolve();
    };
    const { source, start, stop } = setUp({ process, queue, clock });
    await start();
    for (let i = 0; i < 200; i++) source.put(`pod-${i}`);
    await done.promise;
    expect(turns).toBeGreaterThan(30);
    await stop();
  });
});
