// The facts file holds what Go's time.Duration answers: [text, [nanoseconds, printed]] or an error.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration, parseDurationMs, printDuration, printDurationMs } from "./duration.ts";

interface Facts {
  readonly duration: readonly [string, [string, string] | { readonly error: string }][];
}
const facts: Facts = JSON.parse(readFileSync(new URL("./duration.facts.json", import.meta.url), "utf8"));

test.each(facts.duration)("%j", (text, expected) => {
  if (Array.isArray(expected)) {
    expect([String(parseDuration(text)), printDuration(parseDuration(text))]).toEqual(expected);
  } else {
    expect(() => parseDuration(text)).toThrow(expected.error);
  }
});

test("milliseconds", () => {
  expect(parseDurationMs("1.5s")).toBe(1500);
  expect(parseDurationMs("250us")).toBe(0.25);
  expect(printDurationMs(90_500)).toBe("1m30.5s");
  expect(printDurationMs(0.25)).toBe("250µs");
});

test("what is printed reads back exactly", () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 62n), 2n ** 62n), (nanos) => {
      const back = parseDuration(printDuration(nanos));
      // Fractions go through floats, as in Go: nine digits of a second survive that.
      expect(back).toBe(nanos);
    }),
  );
});
