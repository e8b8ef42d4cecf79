import { describe, expect, test } from "vitest";
import { type CacheSync, SyncResult } from "./sync-result.ts";

const cause = new Error("my own reason");
const cache = (name: string, isSynced: boolean, rest: Partial<CacheSync> = {}): CacheSync => ({
  name,
  isSynced,
  sinceMs: undefined,
  why: undefined,
  ...rest,
});

const rows: readonly [fact: string, caches: readonly CacheSync[], message: string | undefined][] = [
  ["of nothing is no error", [], undefined],
  ["of what is all there is no error", [cache("pods", true)], undefined],
  ["names the one that is missing", [cache("nodes", true), cache("pods", false)], "pods"],
  ["names all that are missing, in order", [cache("pods", false), cache("nodes", false)], "nodes; pods"],
  [
    "tells since when and why, where known",
    [cache("pods", false, { sinceMs: 0, why: "forbidden" })],
    "pods (since 1970-01-01T00:00:00.000Z): forbidden",
  ],
];

describe("the result of a wait", () => {
  for (const [fact, caches, message] of rows) {
    test(fact, () => {
      const result = new SyncResult(caches, cause);
      const error = result.asError();
      expect(result.isSynced).toBe(message === undefined);
      expect(error?.message).toBe(
        message === undefined ? undefined : `failed to sync all caches: ${message} (my own reason)`,
      );
      expect(error?.cause).toBe(message === undefined ? undefined : cause);
    });
  }
});
