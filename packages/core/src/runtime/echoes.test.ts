import { describe, expect, test } from "vitest";
import { pods } from "../api/generated/resources.ts";
import type { Change } from "../contract/index.ts";
import { EchoMemory, echoesIn, echoOf } from "./echoes.ts";
import { deletionTimestamp, lost, pod, removed, written } from "./own-writes.fixture.ts";
import type { Expected } from "./sightings.ts";

const marked = pod("a", { resourceVersion: "9", deletionTimestamp });
const added: Change = { type: "add", resource: pods, object: pod("a", { resourceVersion: "9" }), isInitial: false };
const updated: Change = {
  type: "update",
  resource: pods,
  before: pod("a"),
  object: pod("a", { resourceVersion: "9" }),
};
const markedNow: Change = { type: "update", resource: pods, before: pod("a"), object: marked };
const markedLater: Change = {
  ...markedNow,
  object: { ...marked, metadata: { ...marked.metadata, resourceVersion: "10" } },
};
const stillMarked: Change = { ...markedLater, before: marked };
const removedAtOnce: Change = { type: "delete", resource: pods, object: pod("a"), cause: "change" };
const finallyRemoved: Change = { type: "delete", resource: pods, object: marked, cause: "change" };
const foundMissing: Change = { type: "delete", resource: pods, object: pod("a"), cause: "relist" };
const anotherRemoved: Change = { type: "delete", resource: pods, object: pod("a", { uid: "new" }), cause: "change" };

describe("whether a change is the echo of a write", () => {
  const all = {
    added,
    updated,
    markedNow,
    markedLater,
    stillMarked,
    removedAtOnce,
    finallyRemoved,
    foundMissing,
    anotherRemoved,
  };
  for (const [name, expected, echoes] of [
    ["a write: its version, however it comes", written("9"), ["added", "updated", "markedNow"]],
    ["a version that a live read found to be others'", written("9", false), []],
    [
      "a delete that removed the object at once: the removal, also where a list shows it",
      removed(),
      ["removedAtOnce", "finallyRemoved", "foundMissing"],
    ],
    [
      "a delete that marked it: the update to that version; its end is news",
      removed({ removal: "marked", version: "9" }),
      ["added", "updated", "markedNow"],
    ],
    [
      "a delete that did one or the other: where its deletion begins",
      removed({ removal: "gone or marked" }),
      ["markedNow", "markedLater", "removedAtOnce"],
    ],
    ["what was gone before: nothing, that was somebody else", removed({ removal: "found gone" }), []],
    ["what was lost: nothing, until it is known", lost, []],
  ] as [string, Expected, (keyof typeof all)[]][]) {
    test(name, () => {
      const echo = echoOf(expected);
      const found = Object.entries(all).filter(([, change]) => echo !== undefined && echoesIn(change).includes(echo));
      expect(found.map(([change]) => change)).toEqual(echoes);
    });
  }
});

describe("the memory of echoes", () => {
  test("a write is remembered until it is sighted, however long that takes, and by its key alone", () => {
    const memory = new EchoMemory();
    memory.written("k", written("9"));
    memory.forgetOld(3_600_000);
    expect(memory.has("k", added)).toBe(true);
    expect(memory.has("other", added)).toBe(false);
    expect(memory.has("k", stillMarked)).toBe(false);
  });

  for (const [name, laterMs, isKnown] of [
    ["and for a while after", 14_999, true],
    ["not longer than half a minute", 15_000, false],
  ] as const) {
    test(name, () => {
      const memory = new EchoMemory();
      memory.written("k", written("9"));
      memory.sighted("k", written("9"), 1000);
      memory.forgetOld(1000 + laterMs);
      expect(memory.has("k", added)).toBe(isKnown);
      expect(memory.size).toBe(isKnown ? 1 : 0);
    });
  }

  test("nothing is remembered of a key that has succeeded, nor when its write is sighted later", () => {
    const memory = new EchoMemory();
    memory.written("k", written("9"));
    memory.forget("k");
    memory.sighted("k", written("9"), 1000);
    expect([memory.has("k", added), memory.isEmpty]).toEqual([false, true]);
  });
});
