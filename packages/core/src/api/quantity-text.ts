// Parses and prints quantities ("500m", "1.5Gi", "12e6") exactly as Kubernetes does, oddities included, because the
// printed form is stored and compared. A number is kept exactly: mantissa × 10^exponent, never a float.
//
// Promises:
// - Nothing finer than a nano is kept: "1.1n" becomes "2n" (rounded away from zero).
// - Binary amounts are capped at 2^63-1. Decimal amounts are not; beyond 10^20 there is no suffix for the canonical form of a decimal-SI
//   number, so, as upstream, it is printed without one.
// - A number that is almost canonical keeps its text ("0.5" prints as "500m", but "1.500" stays "1.500"), until
//   it is used in arithmetic.
import { KubeloopError } from "../base/errors.ts";

/** The suffix family in which a quantity was written, and is printed if possible. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Quantity {
  readonly mantissa: bigint;
  /** Power of ten. */
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** The text to print instead of the canonical one. */
  readonly text?: string;
}

export class QuantityError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "InvalidQuantity", retry: "never" });
  }
}

const formatFault = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericFault = "unable to parse numeric part of quantity";
const suffixFault = "unable to parse quantity's suffix";

const maxInt64 = 2n ** 63n - 1n;
const nanoExponent = -9;
/** How many decimal digits always fit an int64: up to this, the text may be kept. */
const sureDigits = 18;

// More lenient than the message says, as upstream: digits may be absent ("Ki", "-", "." are zero).
const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/;

const decimalExponents = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalSuffixes = new Map([...decimalExponents].map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
const binaryBits = new Map<string, number>(binarySuffixes.slice(1).map((suffix, index) => [suffix, 10 * (index + 1)]));

/** Few texts are used again and again ("100m", "128Mi"), and each is read several times in a write. Forgotten all at once when there are too many. */
const parsedBefore = new Map<string, Quantity>();
const mostParsed = 1024;
const longestParsed = 16;

/** Throws a QuantityError with upstream's wording. What it returns is frozen, because it may be given to others, too. */
export function parseQuantity(text: string): Quantity {
  const known = parsedBefore.get(text);
  if (known !== undefined) return known;
  const quantity = Object.freeze(parse(text));
  if (text.length > longestParsed) return quantity;
  if (parsedBefore.size === mostParsed) parsedBefore.clear();
  parsedBefore.set(text, quantity);
  return quantity;
}

function parse(text: string): Quantity {
  if (text === "0") return { mantissa: 0n, exponent: 0, format: "DecimalSI", text };
  const parts = text === "" ? null : shape.exec(text);
  if (parts === null) throw new QuantityError(formatFault);
  const isNegative = parts[1] === "-";
  const whole = (parts[2] ?? "").replace(/^0+/, "") || "0";
  const fraction = parts[3] ?? "";
  const suffix = parts[4] ?? "";
  const digits = whole + fraction;
  const bits = binaryBits.get(suffix);
  if (bits !== undefined) return parseBinary({ text, isNegative, whole, fraction, bits });

  const decimal = decimalExponents.get(suffix);
  const format = decimal === undefined ? "DecimalExponent" : "DecimalSI";
  const exponent = ((decimal ?? parseExponent(suffix)) - fraction.length) | 0;
  if (digits.length <= sureDigits && exponent >= nanoExponent) {
    const mantissa = signed(BigInt(digits), isNegative);
    const isCanonicalEnough = exponent % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
    return isCanonicalEnough ? { mantissa, exponent, format, text } : { mantissa, exponent, format };
  }
  requireDigits(text, suffix);
  const [magnitude, rounded] = roundToNano(BigInt(digits), exponent);
  return { mantissa: signed(magnitude, isNegative), exponent: rounded, format };
}

/** Returns upstream's error message for `text`; undefined if it is a valid quantity. */
export function findQuantityFault(text: string): string | undefined {
  try {
    parseQuantity(text);
    return undefined;
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}

interface BinaryParts {
  readonly text: string;
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly bits: number;
}

function parseBinary({ text, isNegative, whole, fraction, bits }: BinaryParts): Quantity {
  // Upstream's estimate of which numbers surely fit an int64; only those keep their text.
  const isSure = fraction === "" && whole.length + (bits * 3) / 10 <= 14;
  if (isSure) {
    const count = BigInt(whole);
    const mantissa = signed(count << BigInt(bits), isNegative);
    return (count & 7n) !== 0n
      ? { mantissa, exponent: 0, format: "BinarySI", text }
      : { mantissa, exponent: 0, format: "BinarySI" };
  }
  requireDigits(text, text.slice(-2));
  const [rounded, exponent] = roundToNano(BigInt(whole + fraction) << BigInt(bits), -fraction.length);
  const scale = powerOfTen(-exponent);
  const isCapped = rounded > maxInt64 * scale;
  const magnitude = isCapped ? maxInt64 : rounded;
  const isBelowOne = rounded !== 0n && rounded < scale;
  return {
    mantissa: signed(magnitude, isNegative),
    exponent: isCapped ? 0 : exponent,
    format: isBelowOne ? "DecimalSI" : "BinarySI",
  };
}

/** Returns the number after `e` or `E`; wraps at 32 bits as upstream. */
function parseExponent(suffix: string): number {
  const digits = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1];
  if (digits === undefined) throw new QuantityError(suffixFault);
  const exponent = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
  if (BigInt.asIntN(64, exponent) !== exponent) throw new QuantityError(suffixFault);
  return Number(BigInt.asIntN(32, exponent));
}

function requireDigits(text: string, suffix: string): void {
  if (!/[0-9]/.test(text.slice(0, text.length - suffix.length))) throw new QuantityError(numericFault);
}

function roundToNano(magnitude: bigint, exponent: number): [magnitude: bigint, exponent: number] {
  if (exponent >= nanoExponent) return [magnitude, exponent];
  const dropped = nanoExponent - exponent;
  // More digits are dropped than there are: the result is one nano or zero.
  if (dropped > magnitude.toString().length) return [magnitude === 0n ? 0n : 1n, nanoExponent];
  return [divideAwayFromZero(magnitude, powerOfTen(dropped)), nanoExponent];
}

function signed(magnitude: bigint, isNegative: boolean): bigint {
  return isNegative ? -magnitude : magnitude;
}

/** Prints the kept text, or the canonical form: the largest suffix of its family that leaves no fraction. */
export function printQuantity(quantity: Quantity): string {
  return quantity.text ?? printCanonical(quantity);
}

function printCanonical({ mantissa, exponent, format }: Quantity): string {
  if (mantissa === 0n) return "0";
  if (format === "BinarySI") {
    const amount = toInteger(mantissa, exponent);
    if (amount !== undefined && (amount >= 1024n || amount <= -1024n)) return printBinary(amount);
    return printDecimal(mantissa, exponent, "DecimalSI");
  }
  return printDecimal(mantissa, exponent, format);
}

function printBinary(amount: bigint): string {
  let rest = amount;
  let thousands = 0;
  while (rest % 1024n === 0n) {
    rest /= 1024n;
    thousands++;
  }
  return `${rest}${binarySuffixes[thousands] ?? ""}`;
}

function printDecimal(mantissa: bigint, exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  const digits = mantissa.toString();
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  const significant = digits.slice(0, length);
  const stripped = exponent + digits.length - length;
  const above = ((stripped % 3) + 3) % 3;
  const number = significant + "0".repeat(above);
  const power = stripped - above;
  if (format === "DecimalSI") return number + (decimalSuffixes.get(power) ?? "");
  return power === 0 ? number : `${number}e${power}`;
}

/** Returns the number as an integer, or undefined if it has a fraction. */
function toInteger(mantissa: bigint, exponent: number): bigint | undefined {
  if (exponent >= 0) return mantissa * powerOfTen(exponent);
  const scale = powerOfTen(-exponent);
  return mantissa % scale === 0n ? mantissa / scale : undefined;
}

const powers: bigint[] = [];

export function powerOfTen(exponent: number): bigint {
  if (exponent > 64) return 10n ** BigInt(exponent);
  for (let next = powers.length; next <= exponent; next++) powers.push(10n ** BigInt(next));
  return powers[exponent] ?? 1n;
}

export function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}
