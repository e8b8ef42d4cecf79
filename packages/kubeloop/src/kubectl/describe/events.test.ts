import type { corev1 } from "@kubeloop/core/api";
import { expect, test } from "vitest";
import { Description } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";

const nowMs = Date.parse("2026-01-02T01:00:00Z");
const event = (rest: Partial<corev1.Event>): corev1.Event => ({
  ...{ apiVersion: "v1", kind: "Event", metadata: {}, involvedObject: {}, type: "Normal", reason: "R", message: "m" },
  ...rest,
});

function written(events: ShownEvents): string {
  const to = new Description();
  to.line(0, "A very long title:", "x");
  writeEvents(to, events, nowMs);
  return to.toString().split("\n").slice(1).join("\n");
}

const firstTimestamp = "2026-01-02T00:00:00Z";
const lastTimestamp = "2026-01-02T00:59:00Z";
const row = (events: readonly corev1.Event[]) => written(events).split("\n").slice(3, -1);

test("events that were not asked for are not there", () => expect(written(undefined)).toBe(""));
test("no events are none", () => expect(written([])).toBe("Events:             <none>\n"));

for (const [what, given, text] of [
  ["seen once", { firstTimestamp, lastTimestamp, source: { component: "c" } }, "Normal  R       60m   c     m"],
  ["seen often", { firstTimestamp, lastTimestamp, count: 3 }, "Normal  R       60s (x3 over 60m)        m"],
  [
    "in a series",
    {
      eventTime: "2026-01-02T00:00:00.000000Z",
      series: { count: 2, lastObservedTime: "2026-01-02T00:59:30.000000Z" },
      reportingComponent: "r",
    },
    "Normal  R       30s (x2 over 60m)  r     m",
  ],
  ["without a time", { message: " m \n" }, "Normal  R       <unknown>        m"],
  ["of a field", { involvedObject: { fieldPath: "spec.x" } }, "Normal  R       <unknown>        spec.x: m"],
] as const) {
  test(`an event ${what}`, () => expect(row([event(given)])).toEqual([`  ${text}`]));
}

test("the latest is the last, and those of the new kind come first", () => {
  const names = (events: readonly corev1.Event[]) => row(events).map((line) => line.split(/\s+/).at(-1));
  const late = event({ message: "late", lastTimestamp });
  const early = event({ message: "early", lastTimestamp: firstTimestamp });
  expect(names([late, event({ message: "new", eventTime: "2026-01-02T00:59:59.000000Z" }), early])).toEqual([
    "new",
    "early",
    "late",
  ]);
});
