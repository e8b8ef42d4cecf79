// Which node's victims are the smallest loss. The first rule that tells candidates apart decides; if none does, the first candidate is taken.
import { type Candidate, startMs } from "./select-victims.ts";

/** Priorities may be negative; this makes them count upwards from 0, so that more victims are never a smaller sum. */
const priorityOffset = 2 ** 31;

type Rule = (candidate: Candidate, nowMs: number) => number;

/** The largest number wins. */
const rules: readonly Rule[] = [
  ({ budgetViolations }) => -budgetViolations,
  ({ victims }) => -(victims[0]?.priority ?? 0),
  ({ victims }) => -victims.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
  ({ victims }) => -victims.length,
  earliestStartOfHighest,
];

export function pickCandidate(candidates: readonly Candidate[], nowMs: number): Candidate | undefined {
  let remaining = candidates;
  for (const rule of rules) {
    if (remaining.length <= 1) break;
    const worth = remaining.map((candidate) => rule(candidate, nowMs));
    const best = worth.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    remaining = remaining.filter((_, index) => worth[index] === best);
  }
  return remaining[0];
}

/** Returns when the first of the victims with the highest priority started: those that ran the shortest time are the smaller loss. */
function earliestStartOfHighest({ victims }: Candidate, nowMs: number): number {
  const highest = Math.max(...victims.map(({ priority }) => priority));
  return Math.min(...victims.filter(({ priority }) => priority === highest).map((victim) => startMs(victim, nowMs)));
}
