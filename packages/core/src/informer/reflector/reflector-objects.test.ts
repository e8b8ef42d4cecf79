import { describe, expect, test } from "vitest";
import { FakeClock, noLog } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { DeltaFIFO } from "../queue/delta-fifo.ts";
import { InOrderQueue } from "../queue/in-order-queue.ts";
import type { BatchQueue } from "../queue/queue.ts";
import { IndexedStore } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc as keyOf } from "../store/key-functions.ts";
import type { Transform } from "../store/store.ts";
import { Reflector } from "./reflector.ts";
import { outcome, second, setUp } from "./running-reflector.fixture.ts";
import { added, initialEnd, type Pod, pod, type Script, ScriptedSource } from "./scripted-source.fixture.ts";

describe("objects without a kind, as typed clients list them", () => {
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = pod("a", "1");
  const withoutKind = bare as Pod;

  test("are completed by what the source says of them, in lists, streamed lists and watches", async () => {
    const change: WatchEvent<Pod> = { type: "MODIFIED", object: withoutKind };
    const listed = await outcome({ lists: [{ items: [withoutKind] }], watches: [{ parts: [[change]] }] }, 0);
    const streamed = await outcome(
      { canWatchList: true, watches: [{ parts: [[{ type: "ADDED", object: withoutKind }, initialEnd("10")]] }] },
      0,
    );
    expect([listed.store.calls, listed.errors]).toEqual([["replace [a@1] at 10", "update a@1"], []]);
    expect([streamed.store.calls, streamed.errors]).toEqual([["replace [a@1] at 10"], []]);
    for (const { store } of [listed, streamed]) {
      expect([...store.objects.values()]).toEqual([{ ...withoutKind, apiVersion: "v1", kind: "Pod" }]);
    }
  });

  test("that name another version are dropped", async () => {
    const ofVersion2 = { ...withoutKind, apiVersion: "v2" } as unknown as Pod;
    const { store, errors } = await outcome({ lists: [{ items: [ofVersion2] }] }, 0);
    expect([store.calls, errors.length]).toEqual([["replace [] at 10"], 1]);
  });
});

describe("objects that do not belong there", () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", resourceVersion: "99" },
  } as unknown as Pod;
  const otherVersion = { ...pod("p", "99"), apiVersion: "v2" };
  const table = { apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: { resourceVersion: "99" } } as unknown as Pod;
  const bare = { apiVersion: "v1", kind: "Pod" } as unknown as Pod;

  test.each([
    ["of another kind", service],
    ["of another version", otherVersion],
    ["a table", table],
    ["without metadata", bare],
    ["nothing at all", undefined as unknown as Pod],
  ])("are dropped from a watch, which goes on: %s", async (_, object) => {
    const { store, errors, reflector, rows } = await outcome(
      { watches: [{ parts: [[{ type: "ADDED", object } as WatchEvent<Pod>], [added("a", "11")]] }] },
      0,
    );
    expect(store.calls).toEqual(["replace [] at 10", "add a@11"]);
    expect(errors).toEqual([expect.stringContaining("dropped an object that the server sent")]);
    expect(rows.slice(-2)).toEqual(["events/only-dropped", "watch/events"]);
    expect(reflector.lastSyncResourceVersion).toBe("11");
  });

  test("do not make a short watch a good one", async () => {
    const { rows } = await outcome(
      { watches: [{ parts: [[{ type: "ADDED", object: service }]], ending: "close" }] },
      0,
    );
    expect(rows.at(-1)).toBe("watch/short");
  });

  test("are dropped from a list and from a streamed one", async () => {
    const listed = await outcome({ lists: [{ items: [pod("a", "1"), service] }] }, 0);
    const streamed = await outcome(
      {
        canWatchList: true,
        watches: [{ parts: [[added("a", "1"), { type: "ADDED", object: service }, initialEnd("10")]] }],
      },
      0,
    );
    expect([listed.store.calls, streamed.store.calls]).toEqual([["replace [a@1] at 10"], ["replace [a@1] at 10"]]);
    expect([listed.errors.length, streamed.errors.length]).toEqual([1, 1]);
  });

  test("fail a list that is a table", async () => {
    const { store, errors } = await outcome({ lists: [{ items: [table] }] }, 0);
    expect([store.calls, errors.length]).toEqual([[], 1]);
  });

  test("are events of a type nobody knows", async () => {
    const { errors, store } = await outcome(
      { watches: [{ parts: [[{ type: "GONE", object: pod("a", "99") } as unknown as WatchEvent<Pod>]] }] },
      0,
    );
    expect([store.calls, errors]).toEqual([
      ["replace [] at 10"],
      ['dropped an object that the server sent: unknown event type "GONE"'],
    ]);
  });

  test("are whatever is not of the kind the user expects", async () => {
    const { store } = await outcome({ lists: [{ items: [pod("a", "1"), service] }] }, 0, {
      expectedKind: { apiVersion: "v1", kind: "Service" },
    });
    expect(store.calls).toEqual(["replace [s@99] at 10"]);
  });
});

describe("the store's transform", () => {
  const counting = () => {
    const counts: Record<string, number> = {};
    const transform: Transform<Pod> = (object) => {
      const name = object.metadata.name ?? "";
      counts[name] = (counts[name] ?? 0) + 1;
      return { ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } };
    };
    return { counts, transform };
  };

  test.each([
    ["a list", { lists: [{ items: [pod("a", "1"), pod("b", "2")] }], watches: [{ parts: [[added("c", "11")]] }] }],
    [
      "a streamed list",
      {
        canWatchList: true,
        watches: [{ parts: [[added("a", "1"), added("b", "2"), initialEnd("10"), added("c", "11")]] }],
      },
    ],
  ])("is applied once to each object of %s and of the watch that follows", async (_, script: Script) => {
    const { counts, transform } = counting();
    const { run, stop, store } = setUp(script, {}, transform);
    await run(0);
    await stop();
    expect(counts).toEqual({ a: 1, b: 1, c: 1 });
    expect([...store.objects.values()].map(({ metadata }) => metadata.labels)).toEqual(Array(3).fill({ seen: "yes" }));
  });

  test.each([
    ["in order", (transform: Transform<Pod>) => new InOrderQueue<Pod>({ keyOf, transform })],
    [
      "by object",
      (transform: Transform<Pod>) => new DeltaFIFO<Pod>({ keyOf, transform, knownObjects: new IndexedStore<Pod>() }),
    ],
  ])("is applied once to each object on its way through a queue that keeps them %s", async (_, makeQueue) => {
    const { counts, transform } = counting();
    const queue: BatchQueue<Pod> = makeQueue(transform);
    const clock = new FakeClock();
    const parts = [[added("a", "1"), added("b", "2"), initialEnd("10"), added("c", "11")]];
    const source = new ScriptedSource(clock, { canWatchList: true, watches: [{ parts }] });
    const stop = new AbortController();
    const running = new Reflector(source, queue, { clock, log: noLog }).run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    const labels: unknown[] = [];
    for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
      for (const delta of batch.deltas) {
        if (delta.type === "ReplacedAll") labels.push(...delta.objects.map(({ metadata }) => metadata.labels));
        else if (delta.type === "Added" || delta.type === "Replaced") labels.push(delta.object.metadata.labels);
      }
      queue.done(batch);
    }
    expect(labels).toEqual(Array(3).fill({ seen: "yes" }));
    expect(counts).toEqual({ a: 1, b: 1, c: 1 });
  });

  test.each([
    ["a list", {}, "list 0 by 500"],
    ["a streamed list", { canWatchList: true }, "stream newest"],
  ])("that fails once on %s is reported, and the list is taken again, whole", async (_, changes: Script, again) => {
    const parts = [[added("a", "1"), added("b", "2"), initialEnd("10")]];
    const script = { lists: [{ items: [pod("a", "1"), pod("b", "2")] }], watches: [{ parts }, { parts }], ...changes };
    const faults = [new Error("bad object")];
    const { run, stop, store, errors, source } = setUp(script, {}, (object) => {
      const fault = object.metadata.name === "b" ? faults.pop() : undefined;
      if (fault !== undefined) throw fault;
      return object;
    });
    await run(500);
    expect(store.calls).toEqual([]);
    await run(500);
    expect(store.calls[0]).toBe("replace [a@1 b@2] at 10");
    expect(source.asked.slice(0, 2)).toEqual([again, again]);
    expect(errors).toEqual(["transform failed: bad object"]);
    await stop();
  });

  test("that fails on a watch event is reported, and that event skipped", async () => {
    const { run, stop, store, errors, reflector } = setUp(
      { watches: [{ parts: [[added("bad", "11"), added("a", "12")]] }] },
      {},
      (object) => {
        if (object.metadata.name === "bad") throw new Error("bad object");
        return object;
      },
    );
    await run(0);
    await stop();
    expect([store.content, errors, reflector.lastSyncResourceVersion]).toEqual([
      ["a@12"],
      ["store refused an event: bad object"],
      "12",
    ]);
  });

  test("has nothing to do with a list the store itself refuses, which is taken again", async () => {
    const { run, stop, store, errors, source } = setUp({});
    store.faults.set("replace", new Error("full"));
    await run(second);
    expect([source.asked, errors]).toEqual([
      ["list 0 by 500", "list 0 by 500", "watch 10"],
      ["store refused the list: full"],
    ]);
    await stop();
  });
});
