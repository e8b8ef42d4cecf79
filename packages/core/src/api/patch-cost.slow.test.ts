// A long JSON patch costs as much as it says, not as what it is for.
import "../base/counted-work.fixture.ts";
import { expect, test } from "vitest";
import { countWork } from "../base/counted-work.fixture.ts";
import { applyJsonPatch } from "./json-patch.ts";

const operations = 200;

function workOn(keys: number) {
  const document = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, "v"]));
  const patch = Array.from({ length: operations }, (_, i) => ({ op: "replace", path: `/k${i}`, value: "w" }) as const);
  return countWork(() => applyJsonPatch(document, patch));
}

test("of thirty times as many keys there is one copy, not one for each operation", async () => {
  await workOn(operations);
  const [small, large] = [await workOn(operations), await workOn(30 * operations)];
  expect(large.steps / small.steps).toBeLessThan(2);
  // A copy of a key takes some 24 bytes.
  expect(large.bytes).toBeLessThan(10 * 24 * 30 * operations);
});
