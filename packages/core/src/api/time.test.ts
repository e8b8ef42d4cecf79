// The facts file holds what Kubernetes 1.36 accepts: [text, [seconds, nanoseconds, as Time]] or an error.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareTimes,
  parseInstant,
  parseMicroTime,
  parseTime,
  printMicros,
  printMicroTime,
  printTime,
} from "./time.ts";

interface Facts {
  readonly time: readonly [string, [number, number, string] | { readonly error: string }][];
  readonly microTime: readonly [string, string | { readonly error: string }][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./time.facts.json", import.meta.url), "utf8"));

test.each(facts.time)("Time %j", (text, expected) => {
  if (!Array.isArray(expected)) {
    expect(() => parseInstant(text)).toThrow("parsing time");
    return;
  }
  const [seconds, nanoseconds, printed] = expected;
  expect(parseInstant(text)).toEqual({ seconds, nanoseconds });
  expect(printTime(parseTime(text))).toBe(printed);
});

test.each(facts.microTime)("MicroTime %j", (text, expected) => {
  if (typeof expected === "string") expect(printMicroTime(parseMicroTime(text))).toBe(expected);
  else expect(() => parseMicroTime(text)).toThrow("parsing time");
});

test.each([
  [0, "1970-01-01T00:00:00Z"],
  [999, "1970-01-01T00:00:00Z"],
  [1999.999, "1970-01-01T00:00:01Z"],
  [-1, "1969-12-31T23:59:59Z"],
] as const)("%d ms prints as %s, cut off", (ms, expected) => expect(printTime(ms)).toBe(expected));

test.each([
  [0, "1970-01-01T00:00:00.000000Z"],
  [0.001, "1970-01-01T00:00:00.000001Z"],
  [1714564800123.456, "2024-05-01T12:00:00.123456Z"],
  [-0.001, "1969-12-31T23:59:59.999999Z"],
  [999.9999, "1970-01-01T00:00:01.000000Z"],
] as const)("%d ms prints as %s", (ms, expected) => expect(printMicroTime(ms)).toBe(expected));

test("refuses years that RFC 3339 cannot say", () => {
  expect(() => printTime(Number.NaN)).toThrow("outside the years");
  expect(() => printTime(Date.UTC(10_000, 0, 1))).toThrow("outside the years");
});

test.each([
  ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z", 0],
  ["2024-05-01T12:00:00Z", "2024-05-01T14:00:00+02:00", 0],
  ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00.000000001Z", -1],
  ["2024-05-01T12:00:01Z", "2024-05-01T12:00:00.999999Z", 1],
] as const)("%s ? %s", (left, right, order) => expect(compareTimes(left, right)).toBe(order));

const ms = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) });

test("a printed time is at most a second old and never in the future", () => {
  fc.assert(
    fc.property(ms, (given) => {
      const age = given - parseTime(printTime(given));
      expect(age).toBeGreaterThanOrEqual(0);
      expect(age).toBeLessThan(1000);
    }),
  );
});

test("agrees with the platform's calendar on every day", () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 0, 1) }), (given) => {
      expect(parseTime(new Date(given).toISOString().replace(/^[+-]\d\d/, ""))).toBe(given);
    }),
    { numRuns: 2000 },
  );
});

test("microseconds survive printing and reading, in the order of their texts", () => {
  fc.assert(
    fc.property(ms, fc.integer({ min: 0, max: 999 }), (wholeMs, micros) => {
      const printed = printMicros(BigInt(wholeMs) * 1000n + BigInt(micros));
      expect(printMicroTime(parseMicroTime(printed))).toBe(printed);
    }),
  );
});
