import { describe, expect, test } from "vitest";
import { setHeapOptions } from "./heap-options.ts";

const old = "--heap-growing-percent=50";
const young = "--semi-space-growth-factor=16";

describe("the heap", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["grows by half of what is alive, and its young generation at once", [], [old, young]],
    ["does so beside other options", ["--enable-source-maps", ""], [old, young]],
    ["grows as the command line says", ["--heap-growing-percent=200"], [young]],
    ["grows as the command line says in V8's own spelling", ["--heap_growing_percent=200"], [young]],
    ["has the young generation that the command line says", ["--semi-space-growth-factor=2"], [old]],
  ])("%s", (_fact, given, expected) => {
    const set: string[] = [];
    setHeapOptions(given, (option) => set.push(option));
    expect(set).toEqual(expected);
  });
});
