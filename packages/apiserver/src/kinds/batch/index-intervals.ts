// Which indexes of a Job are meant: "1,3-5,7".
import { quote } from "@kubeloop/core/api";

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** The intervals, or what is wrong with the text. Indexes are below `completions`, and come in order. */
export function parseIndexes(text: string, completions: number): readonly Interval[] | string {
  if (text === "") return [];
  const intervals: Interval[] = [];
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const before = intervals.at(-1)?.last;
    if (before !== undefined && before >= interval.first) {
      return `non-increasing order, previous: ${before}, current: ${interval.first}`;
    }
    intervals.push(interval);
  }
  return intervals;
}

export function countIndexes(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The first index that is in both; texts that cannot be read have none. */
export function firstOverlap(left: string, right: string, completions: number): number | undefined {
  const readable = (text: string) =>
    text === ""
      ? []
      : text
          .split(",")
          .map((part) => parseInterval(part, completions))
          .filter((each) => typeof each !== "string");
  const a = readable(left);
  const b = readable(right);
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x, y] = [a[i] as Interval, b[j] as Interval];
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}

function parseInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^\+?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`;
    const number = Number(limit);
    if (number >= completions) return `too large index: ${quote(limit)}`;
    numbers.push(number);
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}
