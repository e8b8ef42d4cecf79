import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plant, plantedBugs } from "./planted-bugs.fixture.ts";

// Whether the simulation detects the bugs takes longer, so planted-bugs.slow.test.ts checks it.
describe("can still be planted:", () => {
  for (const { name, file, edits } of plantedBugs) {
    test(name, async () => {
      const text = await readFile(join(import.meta.dirname, "../..", file), "utf8");
      expect(plant(name, text, edits)).not.toBe(text);
    });
  }
});

test("text that is not there, or there twice, is not silently left as it is", () => {
  expect(() => plant("bug", "a b", [["c", "d"]])).toThrow('cannot plant "bug": "c" is not there');
  expect(() => plant("bug", "a a", [["a", "d"]])).toThrow('cannot plant "bug": "a" is there 2 times');
  expect(
    plant("bug", "a b", [
      ["a", "c"],
      ["b", "d"],
    ]),
  ).toBe("c d");
});
