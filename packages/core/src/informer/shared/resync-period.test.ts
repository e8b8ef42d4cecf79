import { describe, expect, test } from "vitest";
import { decideResync, type ResyncRequest } from "./resync-period.ts";

const hour = 3_600_000;
const before = { isStarted: false };
const after = { isStarted: true };

const rows: readonly [fact: string, request: ResyncRequest, resyncMs: number, checkMs: number, warns: boolean][] = [
  ["none asked for is none", { askedMs: 0, checkMs: hour, ...before }, 0, hour, false],
  ["a longer period than the check's stays", { askedMs: 2 * hour, checkMs: hour, ...before }, 2 * hour, hour, false],
  [
    "before the start the smallest sets the check",
    { askedMs: 60_000, checkMs: hour, ...before },
    60_000,
    60_000,
    false,
  ],
  ["after the start a smaller one is raised", { askedMs: 60_000, checkMs: hour, ...after }, hour, hour, true],
  ["after the start a longer one stays", { askedMs: 2 * hour, checkMs: hour, ...after }, 2 * hour, hour, false],
  ["below the minimum it is raised", { askedMs: 10, checkMs: hour, ...before }, 1000, 1000, true],
  ["an informer without resync gives none", { askedMs: 60_000, checkMs: 0, ...before }, 0, 0, true],
];

describe("a handler's resync period", () => {
  for (const [fact, request, resyncMs, checkMs, warns] of rows) {
    test(fact, () => {
      const { warning, ...decided } = decideResync(request);
      expect(decided).toEqual({ resyncMs, checkMs });
      expect(warning !== undefined).toBe(warns);
    });
  }
});
