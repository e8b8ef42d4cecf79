// Durations as Go reads and prints them: `1h30m`, `1.5s`, `250ms`. In memory they are milliseconds.
import { FlagValueError, quote } from "./go-errors.ts";

const nanosPer: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

// Go keeps durations in a signed 64-bit integer of nanoseconds.
const mostNanos = 2 ** 63;

export function parseGoDuration(text: string): number {
  const invalid = () => new FlagValueError(`time: invalid duration ${quote(text)}`);
  const isNegative = text.startsWith("-");
  const rest = text.replace(/^[-+]/, "");
  if (rest === "0") return 0;
  if (rest === "") throw invalid();
  let nanos = 0;
  let at = 0;
  while (at < rest.length) {
    const number = /^[0-9]*\.?[0-9]*/.exec(rest.slice(at))?.[0] ?? "";
    if (!/[0-9]/.test(number)) throw invalid();
    at += number.length;
    const unit = /^[^0-9.]*/.exec(rest.slice(at))?.[0] ?? "";
    if (unit === "") throw new FlagValueError(`time: missing unit in duration ${quote(text)}`);
    const scale = nanosPer[unit];
    if (scale === undefined) throw new FlagValueError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    nanos += Number(number.endsWith(".") ? number.slice(0, -1) : number) * scale;
    at += unit.length;
    if (nanos >= mostNanos) throw invalid();
  }
  return (isNegative ? -nanos : nanos) / 1e6;
}

export function printGoDuration(ms: number): string {
  const nanos = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 ? "-" : "";
  if (nanos === 0) return "0s";
  if (nanos < 1e3) return `${sign}${nanos}ns`;
  if (nanos < 1e6) return `${sign}${nanos / 1e3}µs`;
  if (nanos < 1e9) return `${sign}${nanos / 1e6}ms`;
  const minutes = Math.floor(nanos / 60e9);
  const seconds = `${(nanos - minutes * 60e9) / 1e9}s`;
  if (minutes === 0) return sign + seconds;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours === 0 ? "" : `${hours}h`}${minutes % 60}m${seconds}`;
}
