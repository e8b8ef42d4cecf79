import { describe, expect, test } from "vitest";
import { limitHeapGrowth } from "./heap-growth.ts";

describe("the growth of the heap", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["is limited to half of what is alive", [], ["--heap-growing-percent=50"]],
    ["is limited beside other options", ["--enable-source-maps", ""], ["--heap-growing-percent=50"]],
    ["is what the command line says", ["--heap-growing-percent=200"], []],
    ["is what the command line says in V8's own spelling", ["--heap_growing_percent=200"], []],
  ])("%s", (_fact, given, expected) => {
    const set: string[] = [];
    limitHeapGrowth(given, (option) => set.push(option));
    expect(set).toEqual(expected);
  });
});
