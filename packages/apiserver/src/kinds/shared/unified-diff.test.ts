import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { maxLines, unifiedDiff } from "./unified-diff.ts";

type Fact = readonly [before: string, after: string, diff: string];
const facts: readonly Fact[] = JSON.parse(readFileSync(new URL("./unified-diff.facts.json", import.meta.url), "utf8"));

/** In the facts each letter is a line. */
const lines = (letters: string) => [...letters].join("\n");

// Recorded from the library upstream prints such differences with.
for (const [before, after, expected] of facts) {
  const short = (text: string) => (text.length > 20 ? `${text.slice(0, 20)}… (${text.length})` : text);
  test(`${short(before)} → ${short(after)}`, () => expect(unifiedDiff(lines(before), lines(after))).toBe(expected));
}

test("texts too long to be compared have no difference to tell", () => {
  const long = Array.from({ length: maxLines }, (_, i) => `${i}`).join("\n");
  expect(unifiedDiff(long, `${long}x`)).toBe("");
});
