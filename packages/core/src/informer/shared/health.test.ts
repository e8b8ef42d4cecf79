import { describe, expect, test } from "vitest";
import type { InformerStatus } from "../liveness.ts";
import { decideHealth, type HealthOptions } from "./health.ts";

const now = 10_000_000;
const refused = { error: new Error("connect ECONNREFUSED"), atMs: now - 1000 };
const well: InformerStatus = {
  name: "pods",
  phase: "watching",
  startedMs: 0,
  lastContactMs: now - 1000,
  failingSinceMs: undefined,
  lastFailure: undefined,
  hasSynced: true,
  resourceVersion: "7",
  size: 1,
  queued: 0,
  lists: 1,
  watches: 1,
  errors: 0,
  listEncoding: "json",
  watchEncoding: "json",
};
const idle: InformerStatus = { ...well, phase: "idle", startedMs: undefined, lastContactMs: undefined };
const failing = (sinceMs: number): Partial<InformerStatus> => ({
  phase: "waiting",
  failingSinceMs: now - sinceMs,
  lastFailure: refused,
});

const rows: readonly [fact: string, status: InformerStatus, options: HealthOptions, why: string | undefined][] = [
  ["one that watches and hears is well", well, {}, undefined],
  ["one that was never started is not unwell", idle, {}, undefined],
  ["one that was stopped is deaf", { ...well, phase: "stopped" }, {}, 'informer "pods" has been stopped'],
  ["one that failed a moment ago is retrying", { ...well, ...failing(30_000) }, {}, undefined],
  [
    "one that keeps failing is deaf, and says why",
    { ...well, ...failing(61_000) },
    {},
    'informer "pods" has failed to list and watch for 61 s: connect ECONNREFUSED',
  ],
  ["how long it may fail is the asker's to say", { ...well, ...failing(61_000) }, { maxFailingMs: 120_000 }, undefined],
  [
    "one that lists for ever without a failure says what it is doing",
    { ...well, phase: "listing", failingSinceMs: now - 61_000 },
    {},
    'informer "pods" has failed to list and watch for 61 s: no failure is known, it is listing',
  ],
  [
    "one that watches but hears not even bookmarks is deaf",
    { ...well, lastContactMs: now - 901_000 },
    {},
    'informer "pods" has received nothing for 901 s',
  ],
  [
    "how long it may be silent is the asker's to say",
    { ...well, lastContactMs: now - 5000 },
    { maxSilenceMs: 4000 },
    'informer "pods" has received nothing for 5 s',
  ],
  [
    "one that never heard anything is measured from its start",
    { ...well, phase: "listing", startedMs: now - 5000, lastContactMs: undefined },
    { maxSilenceMs: 4000 },
    'informer "pods" has received nothing for 5 s since it was started',
  ],
];

describe("the health of an informer", () => {
  for (const [fact, status, options, why] of rows) {
    test(fact, () => {
      const expected = why === undefined ? { isHealthy: true } : { isHealthy: false, reason: why };
      expect(decideHealth(status, now, options)).toEqual(expected);
    });
  }
});
