// How tables and descriptions show how long ago something was: two or three significant figures, as kubectl's users know them.
import { parseTime } from "./time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
/** What Go can hold: what is further apart is that far apart. */
const longest = 2 ** 63 / 1e6;

type Unit = readonly [name: string, ms: number];

interface Scale {
  readonly belowMs: number;
  readonly unit: Unit;
  /** Shown beside it where that is not zero. */
  readonly finer?: Unit;
}

const years: Scale = { belowMs: Number.POSITIVE_INFINITY, unit: ["y", year] };
const scales: readonly Scale[] = [
  { belowMs: 2 * minute, unit: ["s", second] },
  { belowMs: 10 * minute, unit: ["m", minute], finer: ["s", second] },
  { belowMs: 3 * hour, unit: ["m", minute] },
  { belowMs: 8 * hour, unit: ["h", hour], finer: ["m", minute] },
  { belowMs: 48 * hour, unit: ["h", hour] },
  { belowMs: 8 * day, unit: ["d", day], finer: ["h", hour] },
  { belowMs: 2 * year, unit: ["d", day] },
  { belowMs: 8 * year, unit: ["y", year], finer: ["d", day] },
];

/** "3m12s", "5h", "2y13d". Clocks differ: up to two seconds into the future is now, more is "<invalid>". */
export function printShortDuration(given: number): string {
  if (given <= -2 * second) return "<invalid>";
  if (given < 0) return "0s";
  const ms = Math.min(given, longest);
  const { unit, finer } = scales.find(({ belowMs }) => ms < belowMs) ?? years;
  const coarse = `${Math.floor(ms / unit[1])}${unit[0]}`;
  if (finer === undefined) return coarse;
  const fine = Math.floor((ms % unit[1]) / finer[1]);
  return fine === 0 ? coarse : `${coarse}${fine}${finer[0]}`;
}

/** How long ago; "<unknown>" for a time that is not there, or is the zero one. */
export function printAge(time: string | null | undefined, nowMs: number): string {
  return time === undefined || time === null ? "<unknown>" : printShortDuration(nowMs - parseTime(time));
}
