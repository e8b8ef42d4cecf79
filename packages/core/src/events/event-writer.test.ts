import { describe, expect, test } from "vitest";
import { applyMergePatch, type corev1, keyOf, newAlreadyExists, newForbidden, newNotFound } from "../api/index.ts";
import { deferred, FakeClock, type Log, MetricsRegistry, noLog, seededRandom, untilAborted } from "../base/index.ts";
import { coreEventPatch, toCoreEvent } from "./core-event.ts";
import { eventMetrics } from "./event-metrics.ts";
import { EventWriter, type WriterLimits } from "./event-writer.ts";
import { recorded } from "./recorded-event.fixture.ts";

const place = { group: "", resource: "events" };

/** A server of a few lines: keeps what it is sent, and does what a test wants before or after. */
class FakeSink {
  readonly stored = new Map<string, corev1.Event>();
  /** "create baz/a 1", "patch baz/a 2": verb, object, count. */
  readonly calls: string[] = [];
  before: (verb: string, event: corev1.Event, signal: AbortSignal) => Promise<void> | void = () => {};
  after: (verb: string, event: corev1.Event) => void = () => {};

  async create(event: corev1.Event, signal: AbortSignal): Promise<void> {
    this.calls.push(`create ${keyOf(event)} ${event.count}`);
    await this.before("create", event, signal);
    if (this.stored.has(keyOf(event))) throw newAlreadyExists(place, event.metadata.name ?? "");
    this.stored.set(keyOf(event), event);
    this.after("create", event);
  }

  async patch(event: corev1.Event, patch: object, signal: AbortSignal): Promise<void> {
    this.calls.push(`patch ${keyOf(event)} ${event.count}`);
    await this.before("patch", event, signal);
    const stored = this.stored.get(keyOf(event));
    if (stored === undefined) throw newNotFound(place, event.metadata.name ?? "");
    this.stored.set(keyOf(event), applyMergePatch(stored, patch) as corev1.Event);
    this.after("patch", event);
  }
}

function setUp(limits: Partial<WriterLimits> = {}) {
  const clock = new FakeClock();
  const sink = new FakeSink();
  const metrics = new MetricsRegistry();
  const lines: string[] = [];
  const log: Log = {
    ...noLog,
    warn: (message, fields) => lines.push(`${message} ${fields?.["event"] ?? fields?.["count"]}`),
  };
  const renames: string[] = [];
  const writer = new EventWriter<corev1.Event>({
    sink,
    patchOf: coreEventPatch,
    rename: (key, event) => {
      renames.push(key);
      return { ...event, metadata: { ...event.metadata, name: `${event.metadata.name}-renamed` } };
    },
    observer: eventMetrics(metrics, "v1"),
    limits: {
      maxTries: 12,
      retryMs: 10_000,
      queueSize: 1000,
      writers: 2,
      requestTimeoutMs: 30_000,
      flushMs: 5000,
      ...limits,
    },
    clock,
    random: seededRandom(1),
    log,
  });
  const offer = (name: string, count = 1) =>
    writer.offer({ key: `key of ${name}`, event: { ...toCoreEvent(recorded({ name })), count }, isRepeat: count > 1 });
  const stop = new AbortController();
  const start = () => writer.run(stop.signal);
  const value = (name: string) =>
    Number(metrics.print().match(new RegExp(`^${name.replaceAll(/[{}]/g, "\\$&")} (.*)$`, "m"))?.[1] ?? 0);
  const dropped = (why: string) => value(`kubeloop_events_dropped_total{sink="v1",why="${why}"}`);
  const counts = () => Object.fromEntries([...sink.stored].map(([key, event]) => [key.slice(4), event.count]));
  return { clock, sink, writer, offer, stop, start, lines, value, dropped, counts, renames };
}

const outOfReach = () => {
  throw new Error("out of reach");
};

describe("a writer", () => {
  test("makes what is new and changes what is not", async () => {
    const { clock, sink, offer, stop, start, value } = setUp();
    const running = start();
    offer("a");
    await clock.advance(0);
    offer("a", 2);
    offer("b");
    await clock.advance(0);
    expect(sink.calls).toEqual(["create baz/a 1", "patch baz/a 2", "create baz/b 1"]);
    expect(value('kubeloop_events_written_total{sink="v1",verb="create"}')).toBe(2);
    expect(value('kubeloop_events_written_total{sink="v1",verb="patch"}')).toBe(1);
    stop.abort();
    await running;
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test("makes what is new as it is by then, when it happened again before it was written", async () => {
    const { clock, sink, offer, stop, start } = setUp();
    offer("a");
    offer("a", 2);
    offer("a", 3);
    const running = start();
    await clock.advance(0);
    expect(sink.calls).toEqual(["create baz/a 3"]);
    stop.abort();
    await running;
  });

  test("writes the newest once more when it happened again while being written", async () => {
    const { clock, sink, offer, stop, start } = setUp();
    const answer = deferred<void>();
    sink.before = () => answer.promise;
    const running = start();
    offer("a");
    await clock.advance(0);
    offer("a", 2);
    offer("a", 3);
    answer.resolve();
    await clock.advance(0);
    expect(sink.calls).toEqual(["create baz/a 1", "patch baz/a 3"]);
    stop.abort();
    await running;
  });

  test("makes anew what the server has forgotten", async () => {
    const { clock, sink, offer, stop, start, counts } = setUp();
    const running = start();
    offer("a", 7);
    await clock.advance(0);
    expect(sink.calls).toEqual(["patch baz/a 7", "create baz/a 7"]);
    expect(counts()).toEqual({ a: 7 });
    expect(sink.stored.get("baz/a")?.metadata.resourceVersion).toBeUndefined();
    stop.abort();
    await running;
  });

  test.each<[string, (attempt: number) => Error | undefined, number]>([
    ["refused by the server, once", () => newForbidden(place, "a", { detail: "no" }), 1],
    ["failing for whatever reason, twelve times", () => new Error("weird"), 12],
    ["failing at first, until it works", (attempt) => (attempt < 3 ? new Error("weird") : undefined), 3],
  ])("tries what is %s", async (_, failure, attempts) => {
    const { clock, sink, offer, stop, start, dropped } = setUp();
    sink.before = () => {
      const error = failure(sink.calls.length);
      if (error !== undefined) throw error;
    };
    const running = start();
    offer("a");
    await clock.advance(3_600_000);
    expect(sink.calls).toHaveLength(attempts);
    expect(dropped("refused") + dropped("unreachable")).toBe(sink.stored.size === 0 ? 1 : 0);
    stop.abort();
    await running;
  });

  test("waits for a random part of ten seconds first, then for ten", async () => {
    const { clock, sink, offer, stop, start, value } = setUp();
    const at: number[] = [];
    sink.before = () => {
      at.push(clock.monotonic());
      outOfReach();
    };
    const running = start();
    offer("a");
    await clock.advance(3_600_000);
    const waits = at.slice(1).map((ms, i) => ms - (at[i] ?? 0));
    expect(waits[0]).toBeGreaterThan(0);
    expect(waits[0]).toBeLessThan(10_000);
    expect(waits.slice(1)).toEqual(Array.from({ length: 10 }, () => 10_000));
    expect(value('kubeloop_event_write_retries_total{sink="v1"}')).toBe(11);
    stop.abort();
    await running;
  });

  test("that has written what was lost on its way back changes it, and makes no second", async () => {
    const { clock, sink, offer, stop, start, counts } = setUp();
    sink.after = (verb) => {
      sink.after = () => {};
      if (verb === "create") outOfReach();
    };
    const running = start();
    offer("a");
    await clock.advance(0);
    offer("a", 2);
    await clock.advance(10_000);
    expect(sink.calls).toEqual(["create baz/a 1", "create baz/a 2", "patch baz/a 2"]);
    expect(counts()).toEqual({ a: 2 });
    stop.abort();
    await running;
  });

  test("takes another name when somebody has the first, and leaves theirs alone", async () => {
    const { clock, sink, offer, stop, start, counts, renames } = setUp();
    sink.stored.set("baz/a", { ...toCoreEvent(recorded({ name: "a" })), count: 40 });
    const running = start();
    offer("a");
    await clock.advance(0);
    offer("a-renamed", 2);
    await clock.advance(0);
    expect(renames).toEqual(["key of a"]);
    expect(counts()).toEqual({ a: 40, "a-renamed": 2 });
    stop.abort();
    await running;
  });

  test("is not held up by what cannot be written, nor by what is never answered", async () => {
    const { clock, sink, offer, stop, start, counts } = setUp();
    sink.before = async (_, event, signal) => {
      if (event.metadata.name === "refused") outOfReach();
      if (event.metadata.name === "silent") await untilAborted(new Promise<void>(() => {}), signal);
    };
    const running = start();
    for (const name of ["refused", "silent", "a", "b", "c"]) offer(name);
    await clock.advance(0);
    expect(counts()).toEqual({ a: 1, b: 1, c: 1 });
    stop.abort();
    await clock.advance(5000);
    await running;
  });

  test("gives up a request after its time, and tries again", async () => {
    const { clock, sink, offer, stop, start, counts } = setUp();
    // Not even listening to its signal.
    sink.before = () => (sink.calls.length === 1 ? new Promise<void>(() => {}) : undefined);
    const running = start();
    offer("a");
    await clock.advance(40_000);
    expect(counts()).toEqual({ a: 1 });
    stop.abort();
    await running;
  });

  test("drops what does not fit, says so once, and how much it was", async () => {
    const { clock, sink, offer, stop, start, dropped, counts, lines, value } = setUp({ queueSize: 4 });
    for (const name of ["a", "b", "c", "d", "e", "f"]) offer(name);
    offer("d", 2);
    expect(dropped("full")).toBe(2);
    expect(value('kubeloop_events_pending{sink="v1"}')).toBe(4);
    const running = start();
    await clock.advance(0);
    expect(counts()).toEqual({ a: 1, b: 1, c: 1, d: 2 });
    expect(sink.calls).toHaveLength(4);
    expect(lines).toEqual([
      "events are being dropped because too many wait to be written baz/e",
      "events were dropped because too many waited to be written 2",
    ]);
    expect(value('kubeloop_events_pending{sink="v1"}')).toBe(0);
    offer("e", 2);
    await clock.advance(0);
    expect(counts()).toMatchObject({ e: 2 });
    stop.abort();
    await running;
  });

  test("loses none of a thousand that fail a few times each", async () => {
    const { clock, sink, offer, stop, start, counts, dropped } = setUp();
    const attempts = new Map<string, number>();
    sink.before = (_, event) => {
      const attempt = (attempts.get(keyOf(event)) ?? 0) + 1;
      attempts.set(keyOf(event), attempt);
      if (attempt < 5) outOfReach();
    };
    const running = start();
    for (let i = 0; i < 1000; i++) offer(`e${i}`);
    await clock.advance(60_000);
    expect(Object.values(counts())).toHaveLength(1000);
    expect(dropped("full")).toBe(0);
    stop.abort();
    await running;
  });
});

describe("a writer that is told to stop", () => {
  test("writes what waits, and what waits to be tried again", async () => {
    const { clock, sink, offer, stop, start, counts, dropped } = setUp();
    sink.before = () => {
      if (sink.calls.length === 1) outOfReach();
    };
    const running = start();
    offer("a");
    await clock.advance(0);
    offer("b");
    stop.abort();
    await running;
    expect(counts()).toEqual({ a: 1, b: 1 });
    expect(dropped("stopped")).toBe(0);
  });

  test("tries each once", async () => {
    const { sink, offer, stop, start, dropped } = setUp();
    sink.before = outOfReach;
    offer("a");
    stop.abort();
    await start();
    expect(sink.calls).toEqual(["create baz/a 1"]);
    expect(dropped("stopped")).toBe(1);
  });

  test("waits for no longer than its bound, and counts what it leaves", async () => {
    const { clock, sink, offer, stop, start, dropped, lines, value } = setUp();
    sink.before = () => new Promise<void>(() => {});
    const running = start();
    for (const name of ["a", "b", "c"]) offer(name);
    await clock.advance(1000);
    stop.abort();
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    await clock.advance(4999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    expect(dropped("stopped")).toBe(3);
    expect(lines).toHaveLength(3);
    expect(value('kubeloop_events_pending{sink="v1"}')).toBe(0);
    offer("d");
    expect(dropped("stopped")).toBe(4);
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test("lets what is under way come to its end", async () => {
    const { clock, sink, offer, stop, start, counts } = setUp();
    sink.before = (_, __, signal) => clock.sleep(3000, signal);
    const running = start();
    offer("a");
    await clock.advance(1000);
    stop.abort();
    await clock.advance(2000);
    await running;
    expect(counts()).toEqual({ a: 1 });
  });
});
