import { expect, test } from "vitest";
import { printLocalTime, printSince } from "./times.ts";

const utc = () => 0;
for (const [what, time, offset, text] of [
  ["in UTC", "2026-01-02T03:04:05Z", utc, "Fri, 02 Jan 2026 03:04:05 +0000"],
  ["of another zone", "2026-01-02T03:04:05+02:00", utc, "Fri, 02 Jan 2026 01:04:05 +0000"],
  ["east of Greenwich", "2026-01-02T23:04:05Z", () => 330, "Sat, 03 Jan 2026 04:34:05 +0530"],
  ["west of Greenwich", "2026-01-01T00:04:05Z", () => -210, "Wed, 31 Dec 2025 20:34:05 -0330"],
  ["with microseconds", "2026-01-02T03:04:05.999999Z", utc, "Fri, 02 Jan 2026 03:04:05 +0000"],
  ["that is not there", undefined, utc, "Mon, 01 Jan 0001 00:00:00 +0000"],
] as const) {
  test(`a time ${what}`, () => expect(printLocalTime(time, offset)).toBe(text));
}

test("ages are those of tables, and unknown without a time", () => {
  const nowMs = Date.parse("2026-01-02T03:04:05Z");
  expect(printSince("2026-01-02T03:01:00Z", nowMs)).toBe("3m5s");
  expect(printSince(undefined, nowMs)).toBe("<unknown>");
});
