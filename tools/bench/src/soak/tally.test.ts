import { expect, test } from "vitest";
import { afterChange, type Change, emptyTally, missedBy } from "./tally.ts";

const written: readonly Change[] = [
  { kind: "created", version: 5 },
  { kind: "updated", version: 6 },
  { kind: "updated", version: 9 },
  { kind: "deleted" },
];
const tallyOf = (changes: readonly Change[]) => changes.reduce(afterChange, emptyTally);

test.each([
  ["everything", written, undefined],
  ["everything but an update", written.toSpliced(1, 1), "versionSum: saw 14 of 20"],
  ["an update twice", [...written, ...written.slice(1, 2)], "versionSum: saw 26 of 20"],
  ["everything but a deletion", written.slice(0, 3), "deleted: saw 0 of 1"],
  ["everything but a create", written.slice(1), "created: saw 0 of 1, versionSum: saw 15 of 20"],
])("a watcher that saw %s", (_, seen, missed) => {
  expect(missedBy(tallyOf(seen), tallyOf(written))).toBe(missed);
});
