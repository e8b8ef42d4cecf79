// Times in objects: `Time` is RFC 3339 in whole seconds ("2024-05-01T12:00:00Z"), `MicroTime` the same with
// exactly six digits after the point. In our own state a time is a number of milliseconds since 1970.
//
// Parsing accepts what the API server accepts: any offset, any number of fraction digits for `Time` (kept to the
// nanosecond in an Instant), a one-digit hour; exactly six digits for `MicroTime`. Printing is always UTC. `Time`
// is truncated, so that it is never later than the original; `MicroTime` is rounded to the nearest microsecond.
import { KubeloopError } from "../base/errors.ts";
import type { MicroTime, Time } from "./generated/types/meta/v1.ts";
import { quote } from "./quote.ts";

export class TimeError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "InvalidTime", retry: "never" });
  }
}

/** An exact point in time: whole seconds since 1970, and nanoseconds after that second. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

const timeShape = /^\d{4}-\d\d-\d\dT(\d\d?):\d\d:\d\d(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const microShape = /[.,]\d{6}(?:Z|[+-]\d\d:\d\d)$/;
const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** Exact; throws a TimeError. */
export function parseInstant(text: string): Instant {
  return readInstant(text) ?? fail(text, timeLayout);
}

/** Returns milliseconds since 1970; finer digits are truncated. */
export function parseTime(text: Time): number {
  return toMs(parseInstant(text));
}

/** Returns milliseconds since 1970; the microseconds are the fraction. */
export function parseMicroTime(text: MicroTime): number {
  const instant = microShape.test(text) ? readInstant(text) : undefined;
  if (instant === undefined) return fail(text, microTimeLayout);
  return instant.seconds * 1000 + instant.nanoseconds / 1e6;
}

/** Compares instants, not text: offsets and fractions count. */
export function compareTimes(left: Time | MicroTime, right: Time | MicroTime): -1 | 0 | 1 {
  if (left === right) return 0;
  const a = parseInstant(left);
  const b = parseInstant(right);
  return order(a.seconds, b.seconds) || order(a.nanoseconds, b.nanoseconds);
}

/** Prints `Time` from milliseconds since 1970; fractions of a second are truncated. */
export function printTime(ms: number): Time {
  return `${printSeconds(Math.floor(ms / 1000))}Z`;
}

/** Prints `MicroTime` from milliseconds since 1970; fractions are rounded to the nearest microsecond. */
export function printMicroTime(ms: number): MicroTime {
  const wholeMs = Math.floor(ms);
  // A double for a present-day time is exact to a quarter of a microsecond, so the nearest microsecond is the intended one.
  return printMicros(BigInt(wholeMs) * 1000n + BigInt(Math.round((ms - wholeMs) * 1000)));
}

/** `MicroTime` for microseconds since 1970. */
export function printMicros(micros: bigint): MicroTime {
  const million = 1_000_000n;
  const fraction = ((micros % million) + million) % million;
  return `${printSeconds(Number((micros - fraction) / million))}.${fraction.toString().padStart(6, "0")}Z`;
}

function readInstant(text: string): Instant | undefined {
  const parts = timeShape.exec(text);
  if (parts === null) return undefined;
  const hourDigits = parts[1]?.length ?? 0;
  // The hour may have one digit, so positions after it are counted from its end.
  const rest = 11 + hourDigits;
  const seconds = toSeconds({
    year: digits(text, 0, 4),
    month: digits(text, 5, 2),
    day: digits(text, 8, 2),
    hour: digits(text, 11, hourDigits),
    minute: digits(text, rest + 1, 2),
    second: digits(text, rest + 4, 2),
  });
  const offsetHours = Number(parts[4] ?? 0);
  const offsetMinutes = Number(parts[5] ?? 0);
  if (seconds === undefined || offsetHours > 24 || offsetMinutes > 60) return undefined;
  const offset = (parts[3] === "-" ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
  const fraction = parts[2];
  return {
    seconds: seconds - offset,
    nanoseconds: fraction === undefined ? 0 : Number(fraction.slice(0, 9).padEnd(9, "0")),
  };
}

interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Returns seconds since 1970; undefined if the date or time does not exist. */
function toSeconds({ year, month, day, hour, minute, second }: Calendar): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Years that begin in March end with the leap day, so that months need no table.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  const days = shifted * 365 + leapDays + dayOfYear - daysBefore1970;
  return days * 86_400 + hour * 3600 + minute * 60 + second;
}

/** From the first of March of the year 0. */
const daysBefore1970 = 719_468;

function digits(text: string, start: number, length: number): number {
  let number = 0;
  for (let i = start; i < start + length; i++) number = number * 10 + text.charCodeAt(i) - 0x30;
  return number;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function toMs(instant: Instant): number {
  return instant.seconds * 1000 + Math.floor(instant.nanoseconds / 1e6);
}

function printSeconds(seconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new TimeError(`time ${seconds} s is outside the years 0 to 9999`);
  return date.toISOString().slice(0, 19);
}

function order(a: number, b: number): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function fail(text: string, layout: string): never {
  throw new TimeError(`parsing time ${quote(text)} as ${quote(layout)}: not a valid time in this layout`);
}
