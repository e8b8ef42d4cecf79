import { describe, expect, test } from "vitest";
import { isFractional, isWholePages, roundResourceList } from "./quantities.ts";

for (const [text, expected] of [
  ["1", "1"],
  ["100m", "100m"],
  ["100u", "1m"],
  ["1n", "1m"],
  ["1500u", "2m"],
  ["1e3", "1e3"],
  ["1Ei", "1Ei"],
  ["1E", "1E"],
  ["1e2000000000", "9223372036854775807"],
  ["-1e2000000000", "-9223372036854775807"],
] as const) {
  test(`${text} is kept as ${expected}`, () => {
    const list = { cpu: text as string };
    roundResourceList(list);
    expect(list).toEqual({ cpu: expected });
  });
}

for (const [name, amount, expected] of [
  ["hugepages-2Mi", "4Mi", true],
  ["hugepages-2Mi", "3Mi", false],
  ["hugepages-2Mi", "0", true],
  ["hugepages-0", "1", false],
  ["hugepages-1m", "1", false],
  ["hugepages-odd", "1", false],
  ["hugepages-", "1", false],
] as const) {
  test(`${amount} of ${name} ${expected ? "are" : "are not"} whole pages`, () =>
    expect(isWholePages(name, amount)).toBe(expected));
}

describe("what is no whole number", () => {
  for (const [text, isIt] of [
    ["1", false],
    ["1500m", true],
    ["2000m", false],
    ["0.5", true],
    ["1n", true],
    ["1E", false],
    ["1e20", false],
    ["100Ei", false],
    ["9223372036854775808", false],
    ["9223372036854775808.5", true],
    ["-1", false],
    ["-1500m", true],
  ] as const) {
    test(`${text}: ${isIt}`, () => expect(isFractional(text)).toBe(isIt));
  }
});
