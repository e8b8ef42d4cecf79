import { describe, expect, test } from "vitest";
import type { corev1, eventsv1, KubernetesObject } from "../api/index.ts";
import { deferred, FakeClock, jsonLineLog, MetricsRegistry, seededRandom } from "../base/index.ts";
import { recordEvent } from "../contract/index.ts";
import { EventBroadcaster, type EventBroadcasterOptions } from "./event-broadcaster.ts";
import type { CoreEventSink, SeriesEventSink } from "./event-sink.ts";
import { recordEventActions } from "./record-event-actions.ts";
import { pod } from "./recorded-event.fixture.ts";
import { type RecordedEvent, toPartialReference } from "./recorded-event.ts";

/** A sink that keeps what it is sent: the events made, and those changed with what changed. */
function sinkOf<A extends "v1" | "events.k8s.io/v1">(api: A) {
  const created: KubernetesObject[] = [];
  const patched: (readonly [name: string, patch: object])[] = [];
  const sink = {
    api,
    create: async (event: KubernetesObject) => void created.push(event),
    patch: async (event: KubernetesObject, patch: object) => void patched.push([event.metadata.name ?? "", patch]),
  };
  return { sink: sink as unknown as A extends "v1" ? CoreEventSink : SeriesEventSink, created, patched };
}

function setUp(options: EventBroadcasterOptions = {}) {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const lines: Record<string, unknown>[] = [];
  const log = jsonLineLog({ write: (line) => lines.push(JSON.parse(line)), now: () => clock.now() });
  const broadcaster = new EventBroadcaster({
    clock,
    random: seededRandom(1),
    log,
    metrics,
    hostName: "host",
    ...options,
  });
  const recorder = broadcaster.newRecorder({ component: "test" });
  const stop = new AbortController();
  const start = () => broadcaster.run(stop.signal);
  return { clock, metrics, log, lines, broadcaster, recorder, stop, start };
}

describe("a recorder", () => {
  test("writes events of core/v1: made, counted, and about what they are about", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const { sink, created, patched } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    const running = start();
    const container = toPartialReference(pod, "spec.containers[2]") ?? {};
    recorder.event(container, "Normal", "Started", "some message");
    recorder.event(pod, "Warning", "Killed", "another message");
    await clock.advance(1000);
    recorder.event(container, "Normal", "Started", "some message");
    await clock.advance(1000);
    recorder.event(container, "Normal", "Started", "some message");
    recorder.event({ ...container, uid: "different" }, "Normal", "Started", "some message");
    await clock.advance(0);
    const involved = { apiVersion: "v1", kind: "Pod", namespace: "baz", name: "foo", uid: "bar" };
    const [first, second, third] = created;
    expect(first).toEqual({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: expect.stringMatching(/^foo\.[0-9a-f]{16}$/), namespace: "baz" },
      involvedObject: { ...involved, fieldPath: "spec.containers[2]" },
      reason: "Started",
      message: "some message",
      source: { component: "test" },
      reportingComponent: "test",
      reportingInstance: "",
      type: "Normal",
      firstTimestamp: "2030-01-01T00:00:00Z",
      lastTimestamp: "2030-01-01T00:00:00Z",
      count: 1,
    });
    expect(second).toMatchObject({ involvedObject: involved, reason: "Killed", type: "Warning" });
    expect(third).toMatchObject({ involvedObject: { uid: "different" }, count: 1 });
    const name = first?.metadata.name;
    expect(patched).toEqual([
      [name, { count: 2, lastTimestamp: "2030-01-01T00:00:01Z", message: "some message" }],
      [name, { count: 3, lastTimestamp: "2030-01-01T00:00:02Z", message: "some message" }],
    ]);
    expect(created).toHaveLength(3);
    stop.abort();
    await running;
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test.each<[string, corev1.ObjectReference | KubernetesObject, string, object]>([
    [
      "an object without a namespace in default",
      { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u", resourceVersion: "7" } },
      "default",
      { apiVersion: "v1", kind: "Node", name: "n", uid: "u", resourceVersion: "7" },
    ],
    [
      "a reference in its namespace",
      { kind: "Pod", namespace: "a", name: "b" },
      "a",
      { kind: "Pod", namespace: "a", name: "b" },
    ],
    ["nothing at all in default", {}, "default", {}],
  ])("puts events about %s", async (_, about, namespace, involved) => {
    const { broadcaster, recorder } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    recorder.event(about, "Normal", "R", "m");
    await broadcaster[Symbol.asyncDispose]();
    const [event] = created as corev1.Event[];
    expect([event?.metadata.namespace, event?.involvedObject]).toEqual([namespace, involved]);
  });

  test("says all it is told: annotations, action, related object, host and instance", async () => {
    const { broadcaster } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    const recorder = broadcaster.newRecorder({ component: "kubelet", host: "node1", instance: "node1-a" });
    recorder.annotatedEvent(pod, { a: "b" }, "Normal", "R", "m");
    recorder.eventf({
      regarding: pod,
      related: { kind: "Node", name: "n" },
      type: "Normal",
      reason: "S",
      action: "Do",
      note: "n",
    });
    await broadcaster[Symbol.asyncDispose]();
    expect(created).toMatchObject([
      {
        metadata: { annotations: { a: "b" } },
        source: { component: "kubelet", host: "node1" },
        reportingComponent: "kubelet",
        reportingInstance: "node1-a",
      },
      { related: { kind: "Node", name: "n" }, action: "Do", message: "n" },
    ]);
  });

  test("writes events of events.k8s.io/v1: made, then a series whose end is told", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const { sink, created, patched } = sinkOf("events.k8s.io/v1");
    broadcaster.startRecordingToSink(sink);
    const running = start();
    const details = { regarding: pod, type: "Normal", reason: "Test", action: "started", note: "verbose" } as const;
    for (let i = 0; i < 4; i++) {
      recorder.eventf(details);
      await clock.advance(1000);
    }
    recorder.eventf({ ...details, action: "stopped" });
    await clock.advance(0);
    expect((created as eventsv1.Event[]).map(({ action, series }) => [action, series])).toEqual([
      ["started", undefined],
      ["stopped", undefined],
    ]);
    expect(patched).toEqual([
      [created[0]?.metadata.name, { series: { count: 2, lastObservedTime: "2030-01-01T00:00:01.000000Z" } }],
    ]);
    await clock.advance(360_000 - 1001);
    expect(patched).toHaveLength(1);
    await clock.advance(1);
    expect(patched[1]).toEqual([
      created[0]?.metadata.name,
      { series: { count: 4, lastObservedTime: "2030-01-01T00:00:03.000000Z" } },
    ]);
    stop.abort();
    await running;
    expect([patched.length, clock.pending()]).toEqual([2, []]);
  });

  test("has series told every half hour, and their last count when everything stops", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const { sink, patched } = sinkOf("events.k8s.io/v1");
    broadcaster.startRecordingToSink(sink);
    const running = start();
    for (let i = 0; i < 40; i++) {
      recorder.event(pod, "Normal", "Test", "m");
      await clock.advance(60_000);
    }
    stop.abort();
    await running;
    expect(patched.map(([, patch]) => (patch as eventsv1.Event).series?.count)).toEqual([2, 32, 40]);
  });

  test.each<[string, (recorder: ReturnType<typeof setUp>["recorder"]) => void, string]>([
    [
      "an object that does not say what it is",
      (recorder) => recorder.event({ ...pod, kind: "" }, "Normal", "R", "m"),
      "an event cannot have an object without kind or apiVersion",
    ],
    [
      "a type that there is none of",
      (recorder) => recorder.event(pod, "Error" as "Normal", "R", "m"),
      'an event cannot have the type "Error"',
    ],
    [
      "no object",
      (recorder) => recorder.event(undefined as unknown as KubernetesObject, "Normal", "R", "m"),
      "undefined",
    ],
  ])("does not throw for %s, and says so", async (_, record, message) => {
    const { broadcaster, recorder, lines } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    record(recorder);
    expect(lines).toMatchObject([{ level: "error", message: "event is invalid and was not recorded", reason: "R" }]);
    expect(JSON.stringify(lines[0])).toContain(JSON.stringify(message).slice(1, -1));
    await broadcaster[Symbol.asyncDispose]();
    expect(created).toEqual([]);
  });

  test("does not throw for what a policy throws", async () => {
    const spamKeyOf = () => {
      throw new Error("policy broke");
    };
    const { broadcaster, recorder, lines } = setUp({ correlator: { spamKeyOf } });
    broadcaster.startRecordingToSink(sinkOf("v1").sink);
    recorder.event(pod, "Normal", "R", "m");
    expect(lines).toMatchObject([
      { message: "subscriber failed to take an event", error: { message: "policy broke" } },
    ]);
    await broadcaster[Symbol.asyncDispose]();
  });

  test("takes the events of controllers' plans", async () => {
    const { broadcaster, recorder } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    const action = recordEvent(pod, { type: "Warning", reason: "FailedCreate", message: "quota" });
    if (action.type === "event") recordEventActions(recorder)(action);
    await broadcaster[Symbol.asyncDispose]();
    expect(created).toMatchObject([
      { type: "Warning", reason: "FailedCreate", message: "quota", involvedObject: { name: "foo" } },
    ]);
  });
});

describe("a broadcaster", () => {
  test("tells everybody of every event, in order, uncounted", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const told: string[] = [];
    const { sink, created } = sinkOf("v1");
    broadcaster.startEventWatcher(({ note }) => void told.push(`a ${note}`));
    broadcaster.startEventWatcher(async ({ note }) => {
      await clock.sleep(100, stop.signal);
      told.push(`b ${note}`);
    });
    broadcaster.startRecordingToSink(sink);
    const running = start();
    for (const note of ["1", "2", "2"]) recorder.event(pod, "Normal", "R", note);
    await clock.advance(300);
    expect(told).toEqual(["a 1", "a 2", "a 2", "b 1", "b 2", "b 2"]);
    expect(created).toHaveLength(2);
    stop.abort();
    await running;
  });

  test("logs what it is told to", async () => {
    const { clock, broadcaster, recorder, log, lines, stop, start } = setUp();
    const logging = broadcaster.startLogging(log);
    const running = start();
    recorder.event(toPartialReference(pod, "spec.containers[2]") ?? {}, "Normal", "Started", "some message");
    recorder.eventf({
      regarding: { kind: "Node", name: "n" },
      related: pod,
      type: "Warning",
      reason: "R",
      action: "A",
      note: "m",
    });
    await clock.advance(0);
    logging[Symbol.dispose]();
    recorder.event(pod, "Normal", "Unheard", "m");
    await clock.advance(0);
    const of = { time: "2030-01-01T00:00:00.000Z", level: "info", component: "test" };
    expect(lines).toEqual([
      {
        ...of,
        message: "event occurred",
        note: "some message",
        object: "baz/foo",
        fieldPath: "spec.containers[2]",
        kind: "Pod",
        apiVersion: "v1",
        type: "Normal",
        reason: "Started",
      },
      {
        ...of,
        message: "event occurred",
        note: "m",
        object: "n",
        kind: "Node",
        type: "Warning",
        reason: "R",
        action: "A",
        related: "Pod foo",
      },
    ]);
    stop.abort();
    await running;
  });

  test("is not stopped by a watcher that throws", async () => {
    const { clock, broadcaster, recorder, lines, stop, start } = setUp();
    const told: string[] = [];
    broadcaster.startEventWatcher(({ note }) => {
      told.push(note);
      throw new Error(`threw at ${note}`);
    });
    const running = start();
    recorder.event(pod, "Normal", "R", "1");
    recorder.event(pod, "Normal", "R", "2");
    await clock.advance(0);
    expect(told).toEqual(["1", "2"]);
    expect(lines).toMatchObject([{ error: { message: "threw at 1" } }, { error: { message: "threw at 2" } }]);
    stop.abort();
    await running;
  });

  test("does not keep whoever records waiting for a watcher: what does not fit is dropped and counted", async () => {
    const { clock, broadcaster, recorder, metrics, stop, start } = setUp({ queueSize: 3 });
    const told: string[] = [];
    const gate = deferred<void>();
    broadcaster.startEventWatcher(async ({ note }) => {
      await gate.promise;
      told.push(note);
    });
    const running = start();
    await clock.advance(0);
    for (const note of ["1", "2", "3", "4", "5"]) recorder.event(pod, "Normal", "R", note);
    expect(metrics.print()).toContain('kubeloop_events_dropped_total{sink="watcher",why="full"} 2');
    gate.resolve();
    await clock.advance(0);
    expect(told).toEqual(["1", "2", "3"]);
    stop.abort();
    await running;
  });

  test("cuts off a watcher that does not come to an end", async () => {
    const { clock, broadcaster, recorder, metrics, stop, start } = setUp();
    broadcaster.startEventWatcher(() => new Promise<void>(() => {}));
    const running = start();
    for (const note of ["1", "2", "3"]) recorder.event(pod, "Normal", "R", note);
    await clock.advance(0);
    stop.abort();
    await clock.advance(5000);
    await running;
    expect(metrics.print()).toContain('kubeloop_events_dropped_total{sink="watcher",why="stopped"} 2');
    recorder.event(pod, "Normal", "R", "4");
    expect(metrics.print()).toContain('kubeloop_events_dropped_total{sink="watcher",why="stopped"} 3');
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
  });

  test("counts anew for another sink", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const [a, b] = [sinkOf("v1"), sinkOf("v1")];
    const running = start();
    const first = broadcaster.startRecordingToSink(a.sink);
    recorder.event(pod, "Normal", "R", "m");
    await clock.advance(0);
    recorder.event(pod, "Normal", "R", "m");
    await clock.advance(0);
    first[Symbol.dispose]();
    broadcaster.startRecordingToSink(b.sink);
    recorder.event(pod, "Normal", "R", "m");
    await clock.advance(0);
    recorder.event(pod, "Normal", "R", "m");
    await clock.advance(0);
    expect([a.created.length, a.patched.length, b.created.length, b.patched.length]).toEqual([1, 1, 1, 1]);
    stop.abort();
    await running;
  });

  test("ends what it has with a sink that is let go of, while it goes on with others", async () => {
    const { clock, broadcaster, recorder, stop, start } = setUp();
    const [gone, stays] = [sinkOf("events.k8s.io/v1"), sinkOf("v1")];
    const recording = broadcaster.startRecordingToSink(gone.sink);
    broadcaster.startRecordingToSink(stays.sink);
    const running = start();
    for (let i = 0; i < 3; i++) {
      recorder.event(pod, "Normal", "R", "m");
      await clock.advance(0);
    }
    expect(clock.pending()).toHaveLength(1);
    recording[Symbol.dispose]();
    recorder.event(pod, "Normal", "Later", "m");
    await clock.advance(0);
    expect(gone.patched.map(([, patch]) => (patch as eventsv1.Event).series?.count)).toEqual([2, 3]);
    expect([gone.created.length, stays.created.length, clock.pending()]).toEqual([1, 2, []]);
    stop.abort();
    await running;
  });

  test("counts spam, and everything that is recorded", async () => {
    const { broadcaster, recorder, metrics } = setUp();
    broadcaster.startRecordingToSink(sinkOf("v1").sink);
    for (let i = 0; i < 30; i++) recorder.event(pod, "Normal", "R", "m");
    expect(metrics.print()).toContain('kubeloop_events_dropped_total{sink="v1",why="spam"} 5');
    expect(metrics.print()).toContain('kubeloop_events_recorded_total{type="Normal"} 30');
    await broadcaster[Symbol.asyncDispose]();
  });

  test("writes what a hundred recorders recorded just before it stops", async () => {
    const { broadcaster, stop, start } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    const running = start();
    for (let i = 0; i < 100; i++)
      broadcaster.newRecorder({ component: `c${i}` }).event(pod, "Normal", "Started", "blah");
    stop.abort();
    await running;
    expect(created).toHaveLength(100);
  });

  test("stops when disposed of, leaves nothing behind, and runs once", async () => {
    const { clock, broadcaster, recorder, start, log } = setUp();
    const told: RecordedEvent[] = [];
    broadcaster.startLogging(log);
    broadcaster.startEventWatcher((event) => void told.push(event));
    broadcaster.startRecordingToSink(sinkOf("events.k8s.io/v1").sink);
    const running = start();
    await clock.advance(0);
    recorder.event(pod, "Normal", "R", "m");
    await broadcaster[Symbol.asyncDispose]();
    await running;
    expect(told).toHaveLength(1);
    expect([clock.pending(), clock.inFlight()]).toEqual([[], []]);
    await expect(start()).rejects.toThrow("an event broadcaster can run only once");
    await broadcaster[Symbol.asyncDispose]();
  });

  test("that never ran writes what was recorded when disposed of", async () => {
    const { broadcaster, recorder } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    recorder.event(pod, "Normal", "R", "m");
    await broadcaster[Symbol.asyncDispose]();
    expect(created).toHaveLength(1);
  });

  test("ends for a signal that has fired already", async () => {
    const { broadcaster, recorder, stop, start } = setUp();
    const { sink, created } = sinkOf("v1");
    broadcaster.startRecordingToSink(sink);
    recorder.event(pod, "Normal", "R", "m");
    stop.abort();
    await start();
    expect(created).toHaveLength(1);
  });
});
