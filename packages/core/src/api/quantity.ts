// Exact arithmetic on quantities, never with floats. All functions take a parsed Quantity or its text, and return
// a new value; a result does not keep the text of its operands and prints canonically. As upstream, a sum has the
// format of its left side unless that is zero.
//
// Not promised: upstream's results when its int64 overflows. `quantityValue` and its variants are capped at ±(2^63-1).
import {
  divideAwayFromZero,
  parseQuantity,
  powerOfTen,
  printQuantity,
  type Quantity,
  QuantityError,
  type QuantityFormat,
} from "./quantity-text.ts";

export type QuantityLike = Quantity | string;

const maxInt64 = 2n ** 63n - 1n;
const maxExponentGap = 10_000;

export function toQuantity(like: QuantityLike): Quantity {
  return typeof like === "string" ? parseQuantity(like) : like;
}

/** Decodes a quantity from JSON: text, possibly with surrounding spaces, a number, or null for zero. */
export function decodeQuantity(json: unknown): Quantity {
  if (json === null) return zeroQuantity;
  if (typeof json === "string") return parseQuantity(json.trim());
  if (typeof json === "number") return parseQuantity(String(json));
  throw new QuantityError(`quantity must be text or a number, got ${typeof json}`);
}

export const zeroQuantity: Quantity = { mantissa: 0n, exponent: 0, format: "DecimalSI" };

/** `mantissa` × 10^`exponent`: `quantityOf(1500, { exponent: -3 })` prints as "1500m". */
export function quantityOf(
  mantissa: number | bigint,
  options: { readonly exponent?: number; readonly format?: QuantityFormat } = {},
): Quantity {
  if (typeof mantissa === "number" && !Number.isSafeInteger(mantissa)) {
    throw new QuantityError(`${mantissa} is not a whole number: give an exponent, or parse text`);
  }
  return { mantissa: BigInt(mantissa), exponent: options.exponent ?? 0, format: options.format ?? "DecimalSI" };
}

/** Returns the text that the API server would store for `text`. */
export function canonicalQuantity(text: string): string {
  return printQuantity(parseQuantity(text));
}

export function addQuantities(left: QuantityLike, right: QuantityLike): Quantity {
  const a = toQuantity(left);
  const b = toQuantity(right);
  const format = a.mantissa === 0n ? b.format : a.format;
  if (b.mantissa === 0n) return { mantissa: a.mantissa, exponent: a.exponent, format };
  if (a.mantissa === 0n) return { mantissa: b.mantissa, exponent: b.exponent, format };
  const exponent = Math.min(a.exponent, b.exponent);
  // "1e2000000000" is a valid quantity; writing out its digits would exhaust the memory.
  if (Math.max(a.exponent, b.exponent) - exponent > maxExponentGap) {
    throw new QuantityError("quantities are too far apart to be added");
  }
  return { mantissa: atExponent(a, exponent) + atExponent(b, exponent), exponent, format };
}

export function subtractQuantities(left: QuantityLike, right: QuantityLike): Quantity {
  return addQuantities(left, negateQuantity(right));
}

export function negateQuantity(like: QuantityLike): Quantity {
  const { mantissa, exponent, format } = toQuantity(like);
  return { mantissa: -mantissa, exponent, format };
}

export function multiplyQuantity(like: QuantityLike, factor: number | bigint): Quantity {
  const { mantissa, exponent, format } = toQuantity(like);
  return { mantissa: mantissa * BigInt(factor), exponent, format };
}

/** Compares amounts: "1" equals "1000m". */
export function compareQuantities(left: QuantityLike, right: QuantityLike): -1 | 0 | 1 {
  const a = toQuantity(left);
  const b = toQuantity(right);
  if (a.exponent === b.exponent) return order(a.mantissa, b.mantissa);
  const sign = signOf(a);
  if (sign !== signOf(b)) return sign < signOf(b) ? -1 : 1;
  if (sign === 0) return 0;
  // The number of digits decides most comparisons, and avoids writing out "1e1000000000".
  const lengths = digitsAbovePoint(a) - digitsAbovePoint(b);
  if (lengths !== 0) return lengths < 0 === sign > 0 ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  return order(atExponent(a, exponent), atExponent(b, exponent));
}

export function minQuantity(left: QuantityLike, right: QuantityLike): Quantity {
  return toQuantity(compareQuantities(left, right) <= 0 ? left : right);
}

export function maxQuantity(left: QuantityLike, right: QuantityLike): Quantity {
  return toQuantity(compareQuantities(left, right) >= 0 ? left : right);
}

export function isZeroQuantity(like: QuantityLike): boolean {
  return toQuantity(like).mantissa === 0n;
}

export function quantitySign(like: QuantityLike): -1 | 0 | 1 {
  return signOf(toQuantity(like));
}

/** Rounds away from zero so that nothing finer than 10^`exponent` remains. */
export function roundQuantityUp(like: QuantityLike, exponent: number): Quantity {
  const quantity = toQuantity(like);
  if (quantity.exponent >= exponent) return quantity;
  const mantissa = divideAwayFromZero(quantity.mantissa, powerOfTen(exponent - quantity.exponent));
  return { mantissa, exponent, format: quantity.format };
}

/** Returns the amount in units of 10^`exponent`, rounded away from zero: `scaledQuantity("1.5", -3)` is 1500n. Capped at ±(2^63-1). */
export function scaledQuantity(like: QuantityLike, exponent: number): bigint {
  const quantity = toQuantity(like);
  if (quantity.mantissa === 0n) return 0n;
  if (digitsAbovePoint(quantity) - exponent > 20) return signOf(quantity) < 0 ? -maxInt64 : maxInt64;
  const amount =
    quantity.exponent >= exponent
      ? quantity.mantissa * powerOfTen(quantity.exponent - exponent)
      : divideAwayFromZero(quantity.mantissa, powerOfTen(exponent - quantity.exponent));
  if (amount > maxInt64) return maxInt64;
  if (amount < -maxInt64) return -maxInt64;
  return amount;
}

export function quantityValue(like: QuantityLike): bigint {
  return scaledQuantity(like, 0);
}

export function quantityMilliValue(like: QuantityLike): bigint {
  return scaledQuantity(like, -3);
}

/** Returns the nearest float: for ratios and scores, never for accounting. */
export function approximateQuantity(like: QuantityLike): number {
  const { mantissa, exponent } = toQuantity(like);
  return Number(`${mantissa}e${exponent}`);
}

function order(a: bigint, b: bigint): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function signOf({ mantissa }: Quantity): -1 | 0 | 1 {
  if (mantissa === 0n) return 0;
  return mantissa < 0n ? -1 : 1;
}

function atExponent(quantity: Quantity, exponent: number): bigint {
  return quantity.exponent === exponent
    ? quantity.mantissa
    : quantity.mantissa * powerOfTen(quantity.exponent - exponent);
}

/** The number of digits before the decimal point; zero or less for fractions. */
function digitsAbovePoint({ mantissa, exponent }: Quantity): number {
  const digits = mantissa.toString();
  return digits.length - (mantissa < 0n ? 1 : 0) + exponent;
}
