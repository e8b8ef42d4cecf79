import { describe, expect, test } from "vitest";
import type { corev1 } from "../api/index.ts";
import { combinedMessage, similarEventsKey } from "./core-event.ts";
import { type CorrelatorPolicy, EventCorrelator } from "./event-correlator.ts";
import { recorded, wallMs } from "./recorded-event.fixture.ts";
import { joinKey, type RecordedEvent } from "./recorded-event.ts";

const many = (count: number, event: (i: number) => Partial<RecordedEvent>) =>
  Array.from({ length: count }, (_, i) => recorded(event(i)));
const same = (count: number) => many(count, () => ({}));
const similar = (count: number) => many(count, (i) => ({ note: `similar ${i}` }));
const aboutContainer = (container: string): Partial<RecordedEvent> => ({
  regarding: { ...recorded().regarding, fieldPath: `spec.containers{${container}}` },
});

/** Feeds events at equal distances; what comes of the last. */
function correlate(events: readonly RecordedEvent[], everySeconds: number, policy: Partial<CorrelatorPolicy> = {}) {
  const correlator = new EventCorrelator(policy);
  const writes = events.map((event, i) =>
    correlator.correlate({ ...event, atMs: wallMs + i * everySeconds * 1000 }, i * everySeconds * 1000),
  );
  return writes.at(-1);
}

const combined = (message: string) => `(combined from similar events): ${message}`;

describe("the correlator", () => {
  test.each<[string, readonly RecordedEvent[], number, { message: string; count: number } | undefined]>([
    ["writes a single event as it is", same(1), 5, { message: "some message", count: 1 }],
    ["only counts the same event", same(2), 5, { message: "some message", count: 2 }],
    ["only counts the same event, however often", same(11), 30, { message: "some message", count: 11 }],
    ["takes the same event for spam when it comes too often", same(27), 1, undefined],
    ["takes 25 of the same for none", same(25), 1, { message: "some message", count: 25 }],
    [
      "does not count events of different objects for each other",
      [...many(30, (i) => ({ regarding: { kind: "Pod", name: `pod-${i}` }, note: `message ${i}` })), recorded()],
      5,
      { message: "some message", count: 1 },
    ],
    ["leaves nine similar ones by themselves", similar(9), 5, { message: "similar 8", count: 1 }],
    ["tells the tenth together with those that follow", similar(10), 5, { message: combined("similar 9"), count: 1 }],
    ["counts those that are told together", similar(12), 5, { message: combined("similar 11"), count: 3 }],
    [
      "goes on counting a message that has an event of its own",
      [...similar(12), recorded({ note: "similar 3" })],
      5,
      { message: "similar 3", count: 2 },
    ],
    [
      "does not count those of different containers for each other",
      [recorded(aboutContainer("b")), recorded(aboutContainer("a"))],
      5,
      { message: "some message", count: 1 },
    ],
    [
      "takes ones that are ten minutes apart for similar",
      similar(10),
      600,
      { message: combined("similar 9"), count: 1 },
    ],
    ["forgets similar ones after a longer silence", similar(10), 601, { message: "similar 9", count: 1 }],
    [
      "does not take ones of different types for similar",
      many(10, (i) => ({ note: `${i}`, type: i % 2 ? "Normal" : "Warning" })),
      5,
      { message: "9", count: 1 },
    ],
  ])("%s", (_, events, everySeconds, expected) => {
    const write = correlate(events, everySeconds);
    expect(write && { message: write.event.message, count: write.event.count }).toEqual(expected);
    expect(write?.isRepeat ?? false).toBe((expected?.count ?? 0) > 1);
  });

  test("keeps the name and the time of the first, and tells the time of the last", () => {
    const events = same(3);
    expect(correlate(events, 60)?.event).toMatchObject({
      metadata: { name: events[0]?.name, namespace: "baz" },
      firstTimestamp: "2030-01-01T00:00:00Z",
      lastTimestamp: "2030-01-01T00:02:00Z",
    });
  });

  test("lets one more through every five minutes, and its count tells of those left out", () => {
    const correlator = new EventCorrelator();
    const counts = Array.from({ length: 700 }, (_, s) => correlator.correlate(recorded(), s * 1000)?.event.count);
    expect(counts.flatMap((count) => count ?? [])).toEqual([...Array.from({ length: 25 }, (_, i) => i + 1), 301, 601]);
  });

  test("limits warnings and normal events of an object apart from each other", () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 30; i++) correlator.correlate(recorded(), 0);
    expect(correlator.correlate(recorded(), 0)).toBeUndefined();
    expect(correlator.correlate(recorded({ type: "Warning" }), 0)).toBeDefined();
  });

  test("says of those told together only what is true of all", () => {
    const annotated = similar(10).map((event) => ({ ...event, annotations: { only: "this" } }));
    expect(correlate(annotated.slice(0, 9), 1)?.event.metadata.annotations).toEqual({ only: "this" });
    expect(correlate(annotated, 1)?.event.metadata.annotations).toBeUndefined();
  });

  test("remembers the last few thousand", () => {
    const correlator = new EventCorrelator({ cacheSize: 3 });
    const about = (name: string) =>
      correlator.correlate(recorded({ regarding: { kind: "Pod", name } }), 0)?.event.count;
    expect(["a", "b", "c", "a", "d", "a", "b"].map(about)).toEqual([1, 1, 1, 2, 1, 3, 1]);
  });

  test("goes on under another name when told so", () => {
    const correlator = new EventCorrelator();
    const { key = "" } = correlator.correlate(recorded(), 0) ?? {};
    correlator.rename(key, "other");
    expect(correlator.correlate(recorded(), 0)?.event).toMatchObject({ metadata: { name: "other" }, count: 2 });
    correlator.rename("unknown", "x");
  });

  test("combines from as many on as it is told to, with the words it is told to use", () => {
    const policy = { maxSimilar: 2, combinedMessageOf: () => "several things" };
    expect(correlate(similar(2), 1, policy)?.event.message).toBe("several things");
  });
});

describe("the spam filter", () => {
  const bySubjectAndReason = ({ involvedObject, reason }: corev1.Event) => joinKey([involvedObject.name, reason]);
  const original = { reason: "original", note: "i am first" };
  test.each<[string, Partial<CorrelatorPolicy>, Partial<RecordedEvent>, boolean]>([
    ["takes another reason for the same object for spam", {}, { reason: "duplicate", note: "me again" }, true],
    [
      "looks at what it is told to",
      { spamKeyOf: bySubjectAndReason },
      { reason: "duplicate", note: "me again" },
      false,
    ],
    ["takes another message for spam then", { spamKeyOf: bySubjectAndReason }, { ...original, note: "me again" }, true],
  ])("%s", (_, policy, second, isSpam) => {
    const write = correlate([recorded(original), recorded(second)], 1, { spamBurst: 1, ...policy });
    expect(write === undefined).toBe(isSpam);
  });
});

describe("what counts as similar", () => {
  const keyOf = (changes: Partial<corev1.Event>) =>
    similarEventsKey({
      apiVersion: "v1",
      kind: "Event",
      metadata: {},
      involvedObject: { kind: "Pod", name: "pod1", namespace: "other" },
      source: { component: "kubelet", host: "node1" },
      ...changes,
    });
  test.each<[string, Partial<corev1.Event>, Partial<corev1.Event>, boolean]>([
    ["the message does not matter", { reason: "end", message: "fun" }, { reason: "end", message: "awful" }, true],
    ["the reason does", { reason: "end" }, { reason: "nevermind" }, false],
    ["the type does", { type: "Normal" }, { type: "Warning" }, false],
    ["who reports does", { reportingInstance: "a" }, { reportingInstance: "b" }, false],
    ["the object does", {}, { involvedObject: { kind: "Pod", name: "pod2", namespace: "other" } }, false],
    [
      "where one part ends and the next begins does",
      { involvedObject: { kind: "Pod", namespace: "a", name: "bc" } },
      { involvedObject: { kind: "Pod", namespace: "ab", name: "c" } },
      false,
    ],
  ])("%s", (_, a, b, isSame) => {
    expect(keyOf(a) === keyOf(b)).toBe(isSame);
  });

  test("the message of several says so", () => {
    expect(combinedMessage({ message: "it was fun" } as corev1.Event)).toBe(combined("it was fun"));
  });
});
