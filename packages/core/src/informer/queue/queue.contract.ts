// What every queue promises, whatever its order: one suite for all of them. How they differ is in their own tests; that
// nothing is lost whatever happens is in queue-properties.contract.ts.
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type Clock, FakeClock, type Log, noLog } from "../../base/index.ts";
import type { Transform } from "../store/store.ts";
import { countTransform, drain, type Item, item, items, knownItems, takeOne } from "./items.fixture.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { Batch, BatchQueue } from "./queue.ts";
import type { QueueMetrics } from "./queue-metrics.ts";

export interface QueueUnderTestOptions {
  readonly transform?: Transform<Item>;
  readonly knownObjects?: KnownObjects<Item> | undefined;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly metrics?: QueueMetrics;
}

export interface QueueUnderTest extends BatchQueue<Item> {
  pop<R>(
    work: (batch: Batch<Item>, isInInitialList: boolean) => R | Promise<R>,
    signal: AbortSignal,
  ): Promise<R | undefined>;
}

export interface QueueKind {
  /** Keys are names; what has no name has no key. */
  open(options: QueueUnderTestOptions): QueueUnderTest;
  /** A list is one item, and not looked into. */
  readonly isAtomic?: boolean;
}

const running = () => new AbortController().signal;
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

export function describeQueue(name: string, kind: QueueKind): void {
  describe(name, () => {
    describe("takes", () => describeTaking(kind));
    describe("waits", () => describeWaiting(kind));
    describe("pops", () => describePopping(kind));
    describe("has synced", () => describeSync(kind));
    describe("transforms", () => describeTransform(kind));
    describe("tells its operator", () => describeReports(kind));
  });
}

function describeTaking(kind: QueueKind): void {
  test("nothing from an empty queue", () => expect(kind.open({}).take()).toBeUndefined());

  test("what two producers add, each in its order", () => {
    const queue = kind.open({});
    for (let i = 1; i <= 500; i++) {
      queue.add(item(`a${i}`, i));
      queue.add(item(`b${i}`, i));
    }
    const taken = drain(queue).flat();
    for (const producer of ["a", "b"]) {
      const values = taken
        .filter((each) => each.startsWith(`Added ${producer}`))
        .map((each) => Number(each.split("=")[1]));
      expect(values).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
    }
  });

  test("what waits when it is closed, and accepts nothing more", () => {
    let transforms = 0;
    const queue = kind.open({
      knownObjects: kind.isAtomic ? undefined : knownItems(item("k", 1)),
      transform: (object) => {
        transforms++;
        return object;
      },
    });
    queue.add(item("a", 1));
    queue.close();
    queue.add(item("b", 1));
    queue.update(item("a", 2));
    queue.delete(item("a", 3));
    queue.replace(items(["c", 1]), "4");
    queue.resync();
    queue.bookmark?.("5");
    expect(drain(queue)).toEqual([["Added a=1"]]);
    expect([queue.isClosed, transforms]).toEqual([true, 1]);
  });

  test("refuses what has no key, and is as it was", () => {
    const queue = kind.open({});
    const nameless = item("", 1);
    for (const write of [() => queue.add(nameless), () => queue.update(nameless), () => queue.delete(nameless)]) {
      expect(write).toThrow(expect.objectContaining({ reason: "InvalidKey", object: nameless }));
    }
    expect([queue.size, queue.hasSynced()]).toEqual([0, false]);
  });
}

function describeWaiting(kind: QueueKind): void {
  test("not at all when there is something to take", async () => {
    const queue = kind.open({});
    queue.add(item("a", 1));
    queue.close();
    expect(await queue.ready(running())).toBe(true);
  });

  test("until something comes", async () => {
    const queue = kind.open({});
    const signal = running();
    const ready = queue.ready(signal);
    expect(listenersOf(signal)).toBe(1);
    queue.add(item("a", 1));
    expect(await ready).toBe(true);
    expect(listenersOf(signal)).toBe(0);
  });

  test("on when somebody else was quicker", async () => {
    const queue = kind.open({});
    const ready = queue.ready(running());
    queue.add(item("a", 1));
    takeOne(queue);
    let isReady = false;
    void ready.then(() => {
      isReady = true;
    });
    await new FakeClock().yield();
    expect(isReady).toBe(false);
    queue.add(item("b", 1));
    expect(await ready).toBe(true);
  });

  test("until it is closed", async () => {
    const queue = kind.open({});
    const signal = running();
    const ready = queue.ready(signal);
    queue.close();
    expect([await ready, await queue.ready(signal)]).toEqual([false, false]);
    expect(listenersOf(signal)).toBe(0);
  });

  test("until the signal aborts, also one that has", async () => {
    const queue = kind.open({});
    const controller = new AbortController();
    const ready = queue.ready(controller.signal);
    controller.abort("enough");
    await expect(ready).rejects.toBe("enough");
    queue.add(item("a", 1));
    await expect(queue.ready(controller.signal)).rejects.toBe("enough");
    expect(queue.size).toBe(1);
  });
}

function describePopping(kind: QueueKind): void {
  test("and gives what the work gave, now or later", async () => {
    const queue = kind.open({});
    queue.add(item("a", 1));
    expect(await queue.pop((batch) => batch.deltas.length, running())).toBe(1);
    const later = queue.pop(async (batch) => `${batch.deltas[0]?.type}, later`, running());
    queue.add(item("a", 2));
    expect(await later).toBe("Added, later");
    expect(queue.size).toBe(0);
  });

  test("and is done with what the work threw over", async () => {
    const queue = kind.open({});
    queue.replace(items(["a", 1]), "1");
    const work = () => {
      throw new Error("broken work");
    };
    await expect(queue.pop(work, running())).rejects.toThrow("broken work");
    expect([queue.size, queue.hasSynced()]).toEqual([0, true]);
  });

  test("and has not synced before the work is finished", async () => {
    const queue = kind.open({});
    queue.replace(items(["a", 1]), "1");
    const during = await queue.pop(async (batch) => [batch.isInInitialList, queue.hasSynced()], running());
    expect([during, queue.hasSynced()]).toEqual([[true, false], true]);
  });

  test("until closed and empty, everyone who waits", async () => {
    const queue = kind.open({ knownObjects: kind.isAtomic ? undefined : knownItems(item("k", 1)) });
    const signal = running();
    const pops = Array.from({ length: 10 }, () => queue.pop(() => "worked", signal));
    queue.close();
    const results = await Promise.allSettled(pops);
    expect(results.map((result) => result.status === "rejected" && result.reason.reason)).toEqual(
      Array(10).fill("Closed"),
    );
    expect(listenersOf(signal)).toBe(0);
  });

  test("each batch for one of those who wait", async () => {
    const queue = kind.open({});
    const pops = Array.from({ length: 3 }, () => queue.pop((batch) => batch.deltas.length, running()));
    queue.add(item("a", 1));
    queue.close();
    const results = await Promise.allSettled(pops);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });
}

function describeSync(kind: QueueKind): void {
  const rows: readonly (readonly [name: string, expected: boolean, actions: (queue: QueueUnderTest) => void])[] = [
    ["not by itself", false, () => {}],
    ["when the first thing is an add", true, (queue) => queue.add(item("a", 1))],
    ["when the first thing is an update", true, (queue) => queue.update(item("a", 1))],
    ["when the first thing is a delete", true, (queue) => queue.delete(item("a", 1))],
    ["not when the first thing is a resync", false, (queue) => queue.resync()],
    kind.isAtomic
      ? ["not with an empty list that is not done", false, (queue) => queue.replace([], "0")]
      : ["at once with an empty list, which leaves nothing to do", true, (queue) => queue.replace([], "0")],
    ["not with a list", false, (queue) => queue.replace(items(["a", 1], ["b", 2]), "0")],
    [
      "not with a list that is taken and not done",
      false,
      (queue) => {
        queue.replace(items(["a", 1], ["b", 2]), "0");
        while (queue.take() !== undefined);
      },
    ],
    [
      "with a list that is done",
      true,
      (queue) => {
        queue.replace(items(["a", 1], ["b", 2]), "0");
        drain(queue);
      },
    ],
    [
      "with a list that is done, whatever waits behind it",
      true,
      (queue) => {
        queue.replace(items(["a", 1]), "0");
        queue.add(item("b", 2));
        queue.replace(items(["c", 1]), "0");
        takeOne(queue);
      },
    ],
  ];
  for (const [name, expected, actions] of rows) {
    test(name, () => {
      const queue = kind.open({});
      actions(queue);
      expect(queue.hasSynced()).toBe(expected);
    });
  }

  test("not when a part of the list is done twice", () => {
    const queue = kind.open({});
    queue.bookmark?.("1");
    queue.replace(items(["a", 1], ["b", 1], ["a", 2]), "2");
    const part = queue.take();
    if (part !== undefined) {
      queue.done(part);
      queue.done(part);
    }
    expect(queue.hasSynced()).toBe(false);
    drain(queue);
    expect(queue.hasSynced()).toBe(true);
  });

  test("once for everyone who asked to be told, and at once for who asks afterwards", () => {
    const errors: unknown[] = [];
    const queue = kind.open({ log: { ...noLog, error: (_message, fields) => errors.push(fields?.["error"]) } });
    const told: string[] = [];
    const fault = new Error("broken callback");
    queue.onSynced(() => told.push("first"));
    queue.onSynced(() => {
      throw fault;
    });
    queue.onSynced(() => told.push("gone"))[Symbol.dispose]();
    queue.onSynced(() => told.push("second"));
    queue.replace(items(["a", 1]), "1");
    expect(told).toEqual([]);
    drain(queue);
    expect(told).toEqual(["first", "second"]);
    queue.replace(items(["a", 2]), "2");
    drain(queue);
    queue.onSynced(() => told.push("late"));
    expect(told).toEqual(["first", "second", "late"]);
    expect(errors).toEqual([fault]);
  });
}

function describeTransform(kind: QueueKind): void {
  const objectsOf = (queue: QueueUnderTest) => {
    const objects: unknown[] = [];
    for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
      for (const delta of batch.deltas) {
        if (delta.type === "ReplacedAll") objects.push(...delta.objects);
        else if ("object" in delta) objects.push(delta.object);
      }
    }
    return objects;
  };
  const once = countTransform(item("a", 1));
  const rows: readonly (readonly [name: string, write: (queue: QueueUnderTest) => void])[] = [
    ["what is added, once", (queue) => queue.add(item("a", 1))],
    ["what is updated, once", (queue) => queue.update(item("a", 1))],
    ["what is listed, once", (queue) => queue.replace(items(["a", 1]), "1")],
    ["not again what is listed and has been", (queue) => queue.replace([once], "1", { isTransformed: true })],
  ];
  for (const [name, write] of rows) {
    test(name, () => {
      const queue = kind.open({ transform: countTransform });
      expect(queue.transform).toBe(countTransform);
      write(queue);
      expect(objectsOf(queue)).toEqual([once]);
    });
  }

  test("what is deleted, once", () => {
    const queue = kind.open({ transform: countTransform });
    queue.add(item("a", 1));
    queue.delete(item("a", 1));
    expect(objectsOf(queue)).toEqual([once, once]);
  });

  test("nothing that fails into the queue: the one who writes hears of it", () => {
    const queue = kind.open({
      transform: (object) => {
        if (object.value > 1) throw new Error(`no ${object.value}`);
        return object;
      },
    });
    expect(() => queue.add(item("a", 2))).toThrow("no 2");
    expect(() => queue.update(item("a", 3))).toThrow("no 3");
    expect(() => queue.replace(items(["a", 1], ["b", 4]), "1")).toThrow("no 4");
    expect([queue.size, queue.hasSynced()]).toEqual([0, false]);
    queue.add(item("a", 1));
    expect(() => queue.delete(item("a", 5))).toThrow("no 5");
    expect(drain(queue)).toEqual([["Added a=1"]]);
  });
}

function describeReports(kind: QueueKind): void {
  const recorded = () => {
    const gauge: number[] = [];
    const seconds: number[] = [];
    const metrics: QueueMetrics = {
      queuedItems: { set: (value) => gauge.push(value), inc() {}, dec() {} },
      processingLatency: { observe: (value) => seconds.push(value) },
    };
    return { gauge, seconds, metrics };
  };

  test("how many items wait, after every change", () => {
    const { gauge, metrics } = recorded();
    const queue = kind.open({ metrics });
    const seen: (number | undefined)[] = [];
    const writes = [
      () => queue.replace(items(["a", 1]), "1"),
      () => queue.add(item("b", 1)),
      () => queue.bookmark?.("2"),
      () => queue.resync(),
      () => queue.delete(item("b", 1)),
      () => queue.take(),
      () => drain(queue),
    ];
    for (const write of writes) {
      write();
      seen.push(gauge.at(-1));
      expect(gauge.at(-1)).toBe(queue.size);
    }
    expect(seen[0]).toBe(1);
    expect(seen.at(-1)).toBe(0);
  });

  test("how long the work took", async () => {
    const clock = new FakeClock();
    const { seconds, metrics } = recorded();
    const queue = kind.open({ metrics, clock });
    queue.add(item("a", 1));
    const batch = queue.take();
    await clock.advance(250);
    if (batch !== undefined) queue.done(batch);
    expect(seconds).toEqual([0.25]);
  });

  const slow: readonly (readonly [name: string, waiting: number, tookMs: number, notes: number])[] = [
    ["of slow work that many wait for", 11, 101, 1],
    ["not of slow work that few wait for", 10, 101, 0],
    ["not of work that takes its time", 11, 100, 0],
  ];
  for (const [name, waiting, tookMs, notes] of slow) {
    test(name, async () => {
      const clock = new FakeClock();
      const fields: unknown[] = [];
      const queue = kind.open({ clock, log: { ...noLog, warn: (_message, given) => fields.push(given) } });
      queue.replace(items(["a", 1]), "1");
      for (let i = 0; i < waiting; i++) queue.add(item(`b${i}`, i));
      const batch = queue.take();
      await clock.advance(tookMs);
      if (batch !== undefined) queue.done(batch);
      const key = kind.isAtomic ? "ReplacedAll" : "a";
      expect(fields).toEqual(notes === 0 ? [] : [{ key, items: 1, depth: waiting, tookMs }]);
    });
  }
}
