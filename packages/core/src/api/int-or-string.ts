// A field that is a number or text ("25%", a port's name), and the number that a percentage of a total gives. Text without
// a percent sign is never a number here: "5" is rejected, as by upstream's current rules.
import { KubeloopError } from "../base/errors.ts";
import type { IntOrString } from "./generated/types/meta/v1.ts";
import { quote } from "./quote.ts";

export class IntOrStringError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Invalid", retry: "never" });
  }
}

/** For command lines: text that parses as an int32 becomes a number, other text stays text. */
export function parseIntOrString(text: string): IntOrString {
  if (!/^[+-]?[0-9]+$/.test(text)) return text;
  const number = Number(text);
  return number >= -(2 ** 31) && number < 2 ** 31 ? number + 0 : text;
}

export function printIntOrString(value: IntOrString): string {
  return String(value);
}

/**
 * Returns a number unchanged, and for "30%" that share of `total`, rounded as requested. Throws if the value is absent or text
 * that is not a percentage.
 */
export function scaledValue(
  value: IntOrString | undefined,
  total: number,
  options: { readonly round: "up" | "down" },
): number {
  if (value === undefined) throw new IntOrStringError("nil value for IntOrString");
  if (typeof value === "number") return value;
  const share = (parsePercent(value) * total) / 100;
  // Adding zero turns -0 into 0.
  return (options.round === "up" ? Math.ceil(share) : Math.floor(share)) + 0;
}

/** Returns the number before the percent sign. */
function parsePercent(text: string): number {
  if (!text.endsWith("%")) {
    throw new IntOrStringError("invalid value for IntOrString: invalid type: string is not a percentage");
  }
  const digits = text.slice(0, -1);
  const fault = findIntFault(digits);
  if (fault !== undefined) {
    throw new IntOrStringError(
      `invalid value for IntOrString: invalid value ${quote(text)}: strconv.Atoi: parsing ${quote(digits)}: ${fault}`,
    );
  }
  return Number(digits);
}

function findIntFault(digits: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(digits)) return "invalid syntax";
  const value = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
  return BigInt.asIntN(64, value) === value ? undefined : "value out of range";
}
