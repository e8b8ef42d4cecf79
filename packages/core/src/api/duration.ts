// Durations as in objects and flags ("1h2m3.5s", "-1.5h", "300ms"), parsed and printed as in Go. Exact values are
// nanoseconds in a bigint; milliseconds are for our own timers.
import { KubeloopError } from "../base/errors.ts";

export class DurationError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "InvalidDuration", retry: "never" });
  }
}

const unitNanos = new Map<string, bigint>([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const limit = 2n ** 63n;
const second = 1_000_000_000n;

/** Returns nanoseconds. Throws a DurationError with Go's message. */
export function parseDuration(text: string): bigint {
  const isNegative = text.startsWith("-");
  let rest = isNegative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") throw invalid(text);
  let total = 0n;
  while (rest !== "") {
    const [, whole = "", point, fraction = "", unit = ""] = /^([0-9]*)(\.)?((?<=\.)[0-9]*)?([^.0-9]*)/.exec(rest) ?? [];
    if (whole === "" && fraction === "") throw invalid(text);
    if (unit === "") throw new DurationError(`time: missing unit in duration ${quoteBytes(text)}`);
    const nanos = unitNanos.get(unit);
    if (nanos === undefined) {
      throw new DurationError(`time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}`);
    }
    const amount = BigInt(whole || "0") * nanos;
    if (amount > limit) throw invalid(text);
    total += amount + fractionNanos(fraction, nanos);
    if (total > limit) throw invalid(text);
    rest = rest.slice(whole.length + (point ?? "").length + fraction.length + unit.length);
  }
  if (isNegative) return -total;
  if (total === limit) throw invalid(text);
  return total;
}

/** Returns milliseconds, possibly with a fraction. */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** Prints as Go does: "1h2m3.5s", "1.5ms", "0s". */
export function printDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  if (nanos < 0n) return `-${printDuration(-nanos)}`;
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${printDecimal(nanos, 3)}µs`;
  if (nanos < second) return `${printDecimal(nanos, 6)}ms`;
  const minutes = nanos / (60n * second);
  const seconds = `${printDecimal(nanos % (60n * second), 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** From milliseconds, to the nearest nanosecond. */
export function printDurationMs(ms: number): string {
  return printDuration(BigInt(Math.round(ms * 1e6)));
}

/** Go computes fractions in floating point and truncates; the same is done here, to get the same nanosecond. */
function fractionNanos(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (limit - 1n) / 10n || next > limit) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function printDecimal(value: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = (value % scale).toString().padStart(digits, "0").replace(/0+$/, "");
  return fraction === "" ? `${value / scale}` : `${value / scale}.${fraction}`;
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quoteBytes(text)}`);
}

/** Go's time package quotes bytes: "µ" is printed as "\\xc2\\xb5". */
function quoteBytes(text: string): string {
  let quoted = "";
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += character === '"' || character === "\\" ? `\\${character}` : character;
  }
  return `"${quoted}"`;
}
