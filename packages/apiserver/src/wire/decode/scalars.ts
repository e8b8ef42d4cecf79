// Texts that have one right spelling: quantities, times, durations and bytes, read as Go reads them and printed as Go prints
// them. All of them throw an UnmarshalError with Go's message.
import {
  canonicalQuantity,
  DurationError,
  parseDuration,
  parseInstant,
  printDuration,
  printMicros,
  printTime,
  QuantityError,
  TimeError,
} from "@kubeloop/core/api";
import { findTimeFault } from "../../go-prose/time-fault.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

// A cluster has thousands of objects and a few dozen spellings of quantities.
const quantities = new Map<string, string>();
const maxQuantities = 1000;
const maxQuantityLength = 1000;

/** "0.5" → "500m". */
export function normalQuantity(text: string): string {
  const known = quantities.get(text);
  if (known !== undefined) return known;
  // A number of a million digits is read for seconds.
  if (text.length > maxQuantityLength) throw new UnmarshalError("unable to parse numeric part of quantity");
  const canonical = inGoWords(() => canonicalQuantity(text.trim()));
  if (text.length <= 64) {
    if (quantities.size >= maxQuantities) quantities.clear();
    quantities.set(text, canonical);
  }
  return canonical;
}

const zeroTimeSeconds = -62_135_596_800;
export const zeroTime = "0001-01-01T00:00:00Z";
export const zeroMicroTime = "0001-01-01T00:00:00.000000Z";
const plainTime = /^[1-9]\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** UTC, cut to seconds; null for the zero time, which Go does not print. */
export function normalTime(text: string): string | null {
  // As every Kubernetes program prints it.
  if (plainTime.test(text)) return text;
  const { seconds } = readTime(text, "time");
  return seconds === zeroTimeSeconds ? null : inGoWords(() => printTime(seconds * 1000));
}

/** UTC with six digits; null for the zero time. */
export function normalMicroTime(text: string): string | null {
  const { seconds, nanoseconds } = readTime(text, "micro-time");
  if (seconds === zeroTimeSeconds && nanoseconds === 0) return null;
  return inGoWords(() => printMicros(BigInt(seconds) * 1_000_000n + BigInt(Math.trunc(nanoseconds / 1000))));
}

function readTime(text: string, type: "time" | "micro-time"): { seconds: number; nanoseconds: number } {
  const fault = findTimeFault(text, type);
  if (fault !== undefined) throw new UnmarshalError(fault);
  return inGoWords(() => parseInstant(text));
}

/** "90s" → "1m30s". */
export function normalDuration(text: string): string {
  return inGoWords(() => printDuration(parseDuration(text)));
}

/** Base64 without line breaks, its spare bits zero; or the place of the first fault. */
export function normalBase64(text: string): { readonly text: string } | { readonly faultAt: number } {
  if (text.length % 4 === 0 && plainBase64.test(text)) {
    // Only a last group that is padded has spare bits.
    return { text: text.endsWith("=") ? text.slice(0, -4) + recode(text.slice(-4)) : text };
  }
  const faultAt = findBase64Fault(text);
  return faultAt === undefined ? { text: recode(text) } : { faultAt };
}

function recode(text: string): string {
  return Buffer.from(text, "base64").toString("base64");
}

const plainBase64 = /^[A-Za-z0-9+/]*={0,2}$/;
const base64Digit = /[A-Za-z0-9+/]/;

/** As Go's decoder counts: groups of four digits, line breaks skipped wherever they stand. */
function findBase64Fault(text: string): number | undefined {
  const bytes = Buffer.from(text);
  const at = (index: number) => String.fromCharCode(bytes[index] ?? 0);
  const skipBreaks = (index: number) => {
    let next = index;
    while (next < bytes.length && (at(next) === "\n" || at(next) === "\r")) next++;
    return next;
  };
  // Groups without a fault need no second look.
  const suspect = Math.max(text.search(/[^A-Za-z0-9+/]/), 0);
  for (let index = suspect - (suspect % 4); ; ) {
    let inGroup = 0;
    for (; inGroup < 4; inGroup++) {
      index = skipBreaks(index);
      if (index === bytes.length) return inGroup === 0 ? undefined : index - inGroup;
      const character = at(index++);
      if (base64Digit.test(character)) continue;
      if (character !== "=" || inGroup < 2) return index - 1;
      return findPaddingFault({ bytes, index: skipBreaks(index), inGroup, at, skipBreaks });
    }
  }
}

interface Padding {
  readonly bytes: Buffer;
  /** Behind the first sign, and the line breaks after it. */
  readonly index: number;
  readonly inGroup: number;
  at(index: number): string;
  skipBreaks(index: number): number;
}

function findPaddingFault({ bytes, index, inGroup, at, skipBreaks }: Padding): number | undefined {
  let end = index;
  if (inGroup === 2) {
    if (end === bytes.length) return bytes.length;
    if (at(end) !== "=") return end - 1;
    end = skipBreaks(end + 1);
  }
  return end < bytes.length ? end : undefined;
}

function inGoWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuantityError || error instanceof TimeError || error instanceof DurationError) {
      throw new UnmarshalError(error.message);
    }
    throw error;
  }
}
