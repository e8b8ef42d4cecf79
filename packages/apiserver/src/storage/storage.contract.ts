// What every storage promises, as one suite; run against each of them. Facts stand in one file per subject. What holds after any
// sequence of calls, and however many call at once, is in the last two.
import { describe } from "vitest";
import type { SnapshotStorage } from "./storage.ts";
import { storageInterleavings } from "./storage-interleavings.contract.ts";
import { listFacts, pastFacts } from "./storage-lists.contract.ts";
import { listenerFacts, logFacts, reachedFacts } from "./storage-log.contract.ts";
import { storageModel } from "./storage-model.contract.ts";
import { objectFacts } from "./storage-objects.contract.ts";
import { snapshotFacts } from "./storage-snapshots.contract.ts";

/** A new storage, with nothing in it. */
export type OpenStorage = () => Promise<SnapshotStorage>;

export function storageSuite(name: string, open: OpenStorage): void {
  describe(`${name}: objects`, () => objectFacts(open));
  describe(`${name}: lists`, () => listFacts(open));
  describe(`${name}: the past`, () => pastFacts(open));
  describe(`${name}: the log`, () => logFacts(open));
  describe(`${name}: reaching a revision`, () => reachedFacts(open));
  describe(`${name}: listeners`, () => listenerFacts(open));
  describe(`${name}: snapshots and forks`, () => snapshotFacts(open));
  describe(`${name}: any sequence of calls`, () => storageModel(open));
  describe(`${name}: many callers at once`, () => storageInterleavings(open));
}
