import { describe, expect, test } from "vitest";
import { cacheOf, deletionTimestamp, lost, pod, removed, written } from "./own-writes.fixture.ts";
import type { ScopedCache } from "./settle-writes.ts";
import { afterEarlier, type Expected, isSighted, lacksVersion } from "./sightings.ts";

const terminating = cacheOf([pod("a", { deletionTimestamp })]);

describe("seen or not", () => {
  for (const [name, expected, cache, isSeen] of [
    ["a write, at its version", written("5"), cacheOf([pod("a")]), true],
    ["a write, at a later version", written("4"), cacheOf([pod("a")]), true],
    ["a write, not yet", written("6"), cacheOf([pod("a")]), false],
    ["versions are numbers", written("10"), cacheOf([pod("a", { resourceVersion: "9" })], "9"), false],
    ["a write outside of the selector, once the cache has passed it", written("6"), cacheOf([], "7"), true],
    ["a write into an empty cache, not yet", written("6"), cacheOf([], ""), false],
    [
      "one made anew counts: it is later",
      written("6"),
      cacheOf([pod("a", { uid: "new", resourceVersion: "8" })]),
      true,
    ],
    ["versions that are none hold nothing up", written("abc"), cacheOf([]), true],
    [
      "a cache with versions that are none holds nothing up",
      written("6"),
      cacheOf([pod("a", { resourceVersion: "x" })]),
      true,
    ],
    ["a removal, gone", removed(), cacheOf([]), true],
    ["a removal, still there", removed(), cacheOf([pod("a")]), false],
    ["a removal, still there and terminating", removed(), cacheOf([pod("a", { deletionTimestamp })]), false],
    ["what was gone before, terminating", removed({ removal: "found gone" }), terminating, false],
    ["what was marked, terminating", removed({ removal: "marked" }), terminating, true],
    ["what was marked, gone since", removed({ removal: "marked" }), cacheOf([]), true],
    ["what was marked, not yet", removed({ removal: "marked" }), cacheOf([pod("a")]), false],
    ["gone or marked, terminating", removed({ removal: "gone or marked" }), terminating, true],
    ["a removal, created anew", removed(), cacheOf([pod("a", { uid: "new" })]), true],
    [
      "a removal of what the cache never had: not by its absence",
      removed({ wasCached: false, version: "6" }),
      cacheOf([]),
      false,
    ],
    [
      "nor by an earlier object of that name",
      removed({ wasCached: false, version: "6" }),
      cacheOf([pod("a", { uid: "old" })]),
      false,
    ],
    ["but by having passed it", removed({ wasCached: false, version: "6" }), cacheOf([], "6"), true],
    ["what was lost, never", lost, cacheOf([pod("a")], "9"), false],
  ] as [string, Expected, ScopedCache, boolean][]) {
    test(name, () => expect(isSighted(expected, cache)).toBe(isSeen));
  }
});

describe("a removal after earlier writes to the object", () => {
  const unknown = removed({ wasCached: false });
  for (const [name, earlier, version] of [
    ["waits for the last of them", [written("9"), written("10"), written("8")], "10"],
    ["has nothing to wait for without", [], undefined],
    ["does not wait for versions that are none", [written("abc")], undefined],
  ] as const) {
    test(name, () => expect(afterEarlier(unknown, earlier)).toEqual({ ...unknown, version }));
  }

  for (const [name, expected, isLacking] of [
    ["is in need of them where the cache never had it", unknown, true],
    ["is not where the cache had it", removed(), false],
    ["is not where the server told a version", removed({ wasCached: false, version: "9" }), false],
  ] as const) {
    test(name, () => expect(lacksVersion(expected)).toBe(isLacking));
  }
});
