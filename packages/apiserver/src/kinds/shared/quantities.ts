// Quantities where specs hold them: how they are rounded when they arrive, and what they may be.
import {
  canonicalQuantity,
  compareQuantities,
  printQuantity,
  quantitySign,
  quantityValue,
  roundQuantityUp,
} from "@kubeloop/core/api";
import { isWholeNumberResource } from "./resource-names.ts";
import type { ValidationPath } from "./validation-path.ts";

export type ResourceList = Readonly<Record<string, string>>;

/** Such a number would have more digits than memory has room for. */
const hugeExponent = /^(-?).*e\+?\d{4,}$/i;

/** Nothing is finer than a thousandth: what is, is rounded up. Nothing is beyond all numbers. In place. */
export function roundResourceList(list: Record<string, string> | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    // Only what is spelled so can be that fine or that large.
    if (list === undefined || !/[.nue]/i.test(text)) continue;
    const [, sign] = hugeExponent.exec(text) ?? [];
    const rounded = sign === undefined ? printQuantity(roundQuantityUp(text, -3)) : `${sign}9223372036854775807`;
    if (rounded !== text) list[name] = rounded;
  }
}

export function checkNonNegativeQuantity(text: string, fldPath: ValidationPath): void {
  if (quantitySign(text) < 0) {
    fldPath.invalid(canonicalQuantity(text), "must be greater than or equal to 0");
  }
}

export function checkPositiveQuantity(text: string, fldPath: ValidationPath): void {
  if (quantitySign(text) <= 0) fldPath.invalid(canonicalQuantity(text), "must be greater than zero");
}

/** How much there may be of this resource: never less than nothing, and whole numbers of what is counted. */
export function checkResourceQuantity(name: string, text: string, fldPath: ValidationPath): void {
  checkNonNegativeQuantity(text, fldPath);
  if (isWholeNumberResource(name) && hasOddThousandths(text)) fldPath.invalid(text, "must be an integer");
}

/** Upstream counts in thousandths of 64 bits, and so what is too large for that is as odd as a fraction; but for decimal thousands of
 * millions, of which it then sees nothing. */
function hasOddThousandths(text: string): boolean {
  if (isFractional(text)) return true;
  return !/(?:[GTPE]|[eE]\+?\d+)$/.test(text) && BigInt.asIntN(64, quantityValue(text) * 1000n) % 1000n !== 0n;
}

export function isFractional(text: string): boolean {
  return compareQuantities(roundQuantityUp(text, 0), text) !== 0;
}

/** Whether the amount of huge pages is a whole number of pages of the size the resource's name tells. */
export function isWholePages(name: string, text: string): boolean {
  try {
    const size = name.slice("hugepages-".length);
    if (quantitySign(size) <= 0 || isFractional(size)) return false;
    return quantityValue(text) % quantityValue(size) === 0n;
  } catch {
    // The size is no quantity.
    return false;
  }
}
