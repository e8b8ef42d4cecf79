import { describe, expect, test } from "vitest";
import { defaultTimings } from "./election-timings.ts";
import { type SimulationOptions, type Step, simulate, usualLatencyMs } from "./elector-simulation.fixture.ts";
import { type ElectorState, step } from "./elector-step.ts";

const ratio = defaultTimings.leaseDurationMs / defaultTimings.renewDeadlineMs;
const sound: SimulationOptions = { step, timings: defaultTimings, rateSpread: ratio };
const seeds = Array.from({ length: 400 }, (_, i) => i);

test("over hundreds of histories nobody leads beside another, and somebody leads again in time", () => {
  const seen = new Set<string>();
  let takeovers = 0;
  const faults = seeds.flatMap((seed) => {
    const result = simulate(seed, sound);
    takeovers += result.takeovers;
    for (const what of result.seen) seen.add(what);
    return result.fault === undefined ? [] : [`seed ${seed}: ${result.fault}`];
  });
  expect(faults).toEqual([]);
  expect(takeovers).toBeGreaterThan(2 * seeds.length);
  expect([...seen].sort()).toEqual([
    "answer lost",
    "conflict",
    "contender crashed",
    "contender cut off",
    "contender stood still",
    "contender told to stop",
    "leader crashed",
    "leader cut off",
    "leader stood still",
    "leader told to stop",
    "lease given back",
    "request lost",
    "request refused",
    "slow answer",
    "work ended by a leader that was told to stop",
  ]);
});

test("when the leader crashes another one leads within the lease, two waits of a contender, and their requests", () => {
  const { leaseDurationMs, retryPeriodMs } = defaultTimings;
  const boundMs = leaseDurationMs + 4.4 * retryPeriodMs + 6 * usualLatencyMs;
  const times = seeds.map(
    (seed) => simulate(seed, { ...sound, rateSpread: 1, onlyOneCrash: true }).takeoverMs ?? Number.NaN,
  );
  expect(Math.max(...times)).toBeLessThanOrEqual(boundMs);
  // And not much sooner than the lease, less the time since the last renewal.
  expect(Math.min(...times)).toBeGreaterThan(leaseDurationMs - retryPeriodMs - 4 * usualLatencyMs);
});

test("a history repeats", () => {
  const once = seeds.slice(0, 20).map((seed) => simulate(seed, sound).takeovers);
  expect(seeds.slice(0, 20).map((seed) => simulate(seed, sound).takeovers)).toEqual(once);
});

/** The step with its result, or what it sees, changed. */
const changed =
  (
    change: (
      stepped: ReturnType<Step>,
      before: ElectorState,
      ...rest: Parameters<Step> extends [unknown, ...infer R] ? R : never
    ) => ReturnType<Step>,
  ): Step =>
  (state, input, context) =>
    change(step(state, input, context), state, input, context);

const plantedBugs: Record<string, Partial<SimulationOptions>> = {
  "the deadline counts from the answer": {
    step: changed((stepped, _, input, { nowMs }) => {
      const isFresh = input.kind === "written" && input.answer.kind === "lease" && stepped.state.at === "leading";
      return isFresh ? { ...stepped, state: { ...stepped.state, renewedMs: nowMs } } : stepped;
    }),
  },
  "a failed renewal counts as one": {
    step: changed((stepped, before, input, { nowMs }) => {
      const isFailed = input.kind === "written" && input.answer.kind === "failed" && before.at === "leading";
      return isFailed && stepped.state.at === "leading"
        ? { ...stepped, state: { ...stepped.state, renewedMs: nowMs } }
        : stepped;
    }),
  },
  "a changed lease is taken for the one seen before": {
    step: changed((stepped, before) => {
      if (stepped.state.at !== "contending" || stepped.state.observed === undefined || before.observed === undefined)
        return stepped;
      return {
        ...stepped,
        state: { ...stepped.state, observed: { ...stepped.state.observed, sinceMs: before.observed.sinceMs } },
      };
    }),
  },
  "a contender waits for half of the lease": {
    step: (state, input, context) => {
      if (state.at !== "contending" || state.observed === undefined) return step(state, input, context);
      const sinceMs = state.observed.sinceMs - context.timings.leaseDurationMs / 2;
      return step({ ...state, observed: { ...state.observed, sinceMs } }, input, context);
    },
  },
  "a late answer makes a leader": {
    step: changed((stepped, before, input, { nowMs }) => {
      if (before.at !== "contending" || input.kind !== "written" || input.answer.kind !== "lease") return stepped;
      const observed = { lease: input.answer.lease, sinceMs: nowMs };
      const token = input.answer.lease.record.transitions;
      return {
        state: { at: "leading", observed, renewedMs: nowMs, token, work: "running", path: "fast" },
        command: { do: "lead", token, delayMs: 2000 },
      };
    }),
  },
  "nobody takes what has run out": {
    step: (state, input, context) =>
      state.at === "contending" && state.observed !== undefined
        ? step({ ...state, observed: { ...state.observed, sinceMs: context.nowMs } }, input, context)
        : step(state, input, context),
  },
  "a change of hands is not counted": {
    step: changed((stepped) => {
      if (stepped.command.do !== "write" || stepped.state.at !== "contending") return stepped;
      const { write } = stepped.command;
      const transitions = write.base?.record.transitions ?? 0;
      return {
        ...stepped,
        command: { ...stepped.command, write: { ...write, record: { ...write.record, transitions } } },
      };
    }),
  },
  "a lease is given back without looking whose it is": {
    released: (lease) => lease && { ...lease.record, holder: "" },
  },
  "a lease is given back while the work is still ending": { releasesEarly: true },
  "a leader that is told to stop does not renew while its work ends": {
    step: (state, input, context) => {
      const isEnding = state.at === "leading" && state.work === "ending";
      if (!isEnding || input.kind !== "due") return step(state, input, context);
      return { state: { ...state, renewedMs: context.nowMs }, command: { do: "wait", delayMs: 2000 } };
    },
  },
  "the server takes any write": { ignoresVersions: true },
  "clocks run further apart than lease and deadline": { rateSpread: 3 },
};

describe("the simulation finds that", () => {
  test.each(Object.entries(plantedBugs))("%s", (_, bug) => {
    const found = seeds.find((seed) => simulate(seed, { ...sound, ...bug }).fault !== undefined);
    expect(found).toBeDefined();
  });
});
