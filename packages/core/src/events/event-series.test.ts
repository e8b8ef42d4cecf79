import { describe, expect, test } from "vitest";
import type { eventsv1 } from "../api/index.ts";
import { EventSeries, type SeriesPolicy } from "./event-series.ts";
import type { EventWrite } from "./event-write.ts";
import { recorded, wallMs } from "./recorded-event.fixture.ts";
import type { RecordedEvent } from "./recorded-event.ts";

const minutes = (count: number) => count * 60_000;

function setUp(policy: Partial<SeriesPolicy> = {}) {
  const series = new EventSeries({ hostName: "host", policy });
  const observe = (nowMs: number, changes: Partial<RecordedEvent> = {}) =>
    words(series.observe(recorded({ ...changes, atMs: wallMs + nowMs }), nowMs));
  const sweep = (nowMs: number) => words(series.sweep(nowMs));
  return { series, observe, sweep };
}

const words = (writes: readonly EventWrite<eventsv1.Event>[]) =>
  writes.map(({ event, isRepeat }) =>
    isRepeat
      ? `series of ${event.series?.count}`
      : `new ${event.action}${event.series === undefined ? "" : " with series"}`,
  );

describe("a series", () => {
  test("begins with the second: the first is written as it is, later ones only count", () => {
    const { observe } = setUp();
    expect([observe(0), observe(1000), observe(2000), observe(3000)]).toEqual([
      ["new Started"],
      ["series of 2"],
      [],
      [],
    ]);
  });

  test("tells the time of its last, under the name and with the time of its first", () => {
    const { series } = setUp();
    const [first] = series.observe(recorded({ name: "one" }), 0);
    const [second] = series.observe(recorded({ name: "two", atMs: wallMs + 1500, note: "another" }), 1500);
    expect(second?.event).toEqual({
      ...first?.event,
      series: { count: 2, lastObservedTime: "2030-01-01T00:00:01.500000Z" },
    });
    expect(first?.event).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "one", namespace: "baz" },
      eventTime: "2030-01-01T00:00:00.000000Z",
      regarding: recorded().regarding,
      action: "Started",
      reason: "Started",
      note: "some message",
      reportingController: "test",
      reportingInstance: "test-host",
      type: "Normal",
    });
  });

  test.each<[string, Partial<RecordedEvent>, boolean]>([
    ["is not broken by another note", { note: "another" }, true],
    ["is of one action", { action: "stopped" }, false],
    ["is of one reason", { reason: "Stopped" }, false],
    ["is of one type", { type: "Warning" }, false],
    ["is of one object", { regarding: { ...recorded().regarding, uid: "other" } }, false],
    ["is of one version of the object", { regarding: { ...recorded().regarding, resourceVersion: "2" } }, false],
    ["is of one related object", { related: { kind: "Node", name: "n" } }, false],
    ["is of one reporter", { source: { component: "test", instance: "second" } }, false],
  ])("%s", (_, changes, isSame) => {
    const { observe } = setUp();
    observe(0);
    expect(observe(1, changes)).toEqual([
      isSame ? "series of 2" : `new ${changes.action ?? changes.reason ?? "Started"}`,
    ]);
  });

  test("ends after six minutes of silence: its last count is written, and it is forgotten", () => {
    const { series, observe, sweep } = setUp();
    observe(0);
    observe(1000);
    observe(minutes(4));
    observe(minutes(9));
    expect(sweep(minutes(15) - 1)).toEqual([]);
    expect(sweep(minutes(15))).toEqual(["series of 4"]);
    expect(series.size).toBe(0);
    expect(observe(minutes(16))).toEqual(["new Started"]);
  });

  test("whose count is written says nothing more when it ends, and neither does a single event", () => {
    const { series, observe, sweep } = setUp();
    observe(0);
    observe(1);
    observe(2, { reason: "Single" });
    expect(sweep(minutes(7))).toEqual([]);
    expect(series.size).toBe(0);
  });

  test("ends before what comes after its silence begins anew, whether or not anybody looked", () => {
    const { observe } = setUp();
    observe(0);
    observe(1);
    observe(2);
    expect(observe(minutes(7))).toEqual(["series of 3", "new Started"]);
  });

  test("has its count written every half hour while it goes on", () => {
    const { observe, sweep } = setUp();
    observe(0);
    const written = Array.from({ length: 95 }, (_, i) => [
      ...sweep(minutes(i + 1)),
      ...observe(minutes(i + 1)).map((what) => `${what} observed`),
    ]).flat();
    expect(written).toEqual(["series of 2 observed", "series of 32", "series of 62", "series of 92"]);
  });

  test("does not wait for another one that was silent longer", () => {
    const { observe, sweep } = setUp();
    observe(0, { reason: "A" });
    observe(1, { reason: "B" });
    observe(2, { reason: "A" });
    observe(minutes(5), { reason: "A" });
    expect(sweep(minutes(6) + 1)).toEqual([]);
    expect(sweep(minutes(11))).toEqual(["series of 3"]);
  });

  test("is looked at in time by whoever sleeps as long as it says", () => {
    const { series, observe } = setUp();
    expect(series.nextDueMs(100)).toBe(100 + minutes(6));
    observe(100);
    expect(series.nextDueMs(minutes(1))).toBe(100 + minutes(6));
    observe(200);
    observe(300);
    for (let i = 1; i < 30; i++) observe(minutes(i));
    expect(series.nextDueMs(minutes(29))).toBe(300 + minutes(30));
  });

  test("that was silent longest makes room when there are too many", () => {
    const { series, observe } = setUp({ cacheSize: 2 });
    for (const _ of [1, 2, 3]) observe(0, { reason: "A" });
    observe(1, { reason: "B" });
    expect(observe(2, { reason: "C" })).toEqual(["new C", "series of 3"]);
    expect(series.size).toBe(2);
  });

  test("tells what it counted when everything ends", () => {
    const { series, observe } = setUp();
    for (const _ of [1, 2, 3]) observe(0, { reason: "A" });
    observe(0, { reason: "B" });
    expect(words(series.finishAll())).toEqual(["series of 3"]);
    expect(series.size).toBe(0);
  });

  test("goes on under another name when told so", () => {
    const { series } = setUp();
    const [first] = series.observe(recorded(), 0);
    series.rename(first?.key ?? "", "other");
    series.rename("unknown", "x");
    expect(series.observe(recorded(), 1)[0]?.event.metadata.name).toBe("other");
  });
});

describe("an event of the newer API", () => {
  const eventOf = (changes: Partial<RecordedEvent>) => {
    const [write] = new EventSeries({ hostName: "host" }).observe(recorded(changes), 0);
    return write?.event;
  };

  test("has the action it is given, and the reason for one where it has none", () => {
    expect(eventOf({ action: "starting" })?.action).toBe("starting");
    expect(eventOf({ action: "" })?.action).toBe("Started");
  });

  test("names the process as it is told to", () => {
    expect(eventOf({ source: { component: "c", instance: "i" } })?.reportingInstance).toBe("i");
    expect(eventOf({ source: { component: "c", host: "node1" } })?.reportingInstance).toBe("c-node1");
  });

  test("has a note that the server takes: cut between characters, not longer than it may be", () => {
    const size = (text = "") => new TextEncoder().encode(text).length;
    expect(eventOf({ note: "x".repeat(1024) })?.note).toHaveLength(1024);
    expect(eventOf({ note: "x".repeat(1025) })?.note).toHaveLength(1024);
    expect(size(eventOf({ note: "€".repeat(400) })?.note)).toBe(1023);
    expect(eventOf({ note: "😀".repeat(300) })?.note).toBe("😀".repeat(256));
    expect(size(eventOf({ source: { component: "c", instance: "i".repeat(200) } })?.reportingInstance)).toBe(128);
  });

  test("lives in default when its object has no namespace, and carries annotations and the related object", () => {
    const node = { apiVersion: "v1", kind: "Node", name: "n" };
    expect(eventOf({ regarding: node, related: node, annotations: { a: "b" } })).toMatchObject({
      metadata: { namespace: "default", annotations: { a: "b" } },
      related: node,
    });
  });
});
