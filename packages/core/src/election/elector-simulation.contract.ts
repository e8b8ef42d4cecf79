// The same kind of simulated histories as in elector-simulation.test.ts, but many more of them, and also with other timings.
import { describe, expect, test } from "vitest";
import { checkTimings, defaultTimings, type ElectionTimings } from "./election-timings.ts";
import { simulate, usualLatencyMs } from "./elector-simulation.fixture.ts";
import { step } from "./elector-step.ts";

const timings: Record<string, ElectionTimings> = {
  "as usual": defaultTimings,
  "with little time": { leaseDurationMs: 4000, renewDeadlineMs: 3000, retryPeriodMs: 500 },
  "with clocks that run far apart": { leaseDurationMs: 60_000, renewDeadlineMs: 15_000, retryPeriodMs: 3000 },
  "with a deadline close to the lease": { leaseDurationMs: 11_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
};
const first = 100_000;

export interface HistoryCounts {
  readonly histories: number;
  readonly crashes: number;
}

export function defineElectorHistories({ histories, crashes }: HistoryCounts): void {
  describe.each(Object.entries(timings))("%s", (_, chosen) => {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = checkTimings(chosen);

    test(`over ${histories} histories nobody leads beside another, and somebody leads again in time`, () => {
      const options = { step, timings: chosen, rateSpread: leaseDurationMs / renewDeadlineMs };
      const faults: string[] = [];
      for (let seed = first; seed < first + histories; seed++) {
        const { fault } = simulate(seed, options);
        if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
      }
      expect(faults).toEqual([]);
    });

    test(`over ${crashes} crashes another one leads within the bound`, () => {
      const options = { step, timings: chosen, rateSpread: 1, onlyOneCrash: true };
      let longestMs = 0;
      for (let seed = first; seed < first + crashes; seed++) {
        longestMs = Math.max(longestMs, simulate(seed, options).takeoverMs ?? Number.POSITIVE_INFINITY);
      }
      expect(longestMs).toBeLessThanOrEqual(leaseDurationMs + 4.4 * retryPeriodMs + 6 * usualLatencyMs);
    });
  });
}
