// Amounts of several resources at once ("cpu", "memory", "example.com/gpu"): parsed once, added and compared exactly.
// Objects hold them as text; `toAmounts` and `printAmounts` convert.
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  negateQuantity,
  quantitySign,
  subtractQuantities,
  zeroQuantity,
} from "../api/quantity.ts";
import { parseQuantity, printQuantity, type Quantity } from "../api/quantity-text.ts";

/** Amounts as text, as objects hold them. */
export interface ResourceList {
  readonly [resource: string]: string;
}

export type ResourceAmounts = ReadonlyMap<string, Quantity>;

export const noAmounts: ResourceAmounts = new Map();

/** Throws a QuantityError. */
export function toAmounts(list: ResourceList | undefined): ResourceAmounts {
  if (list === undefined) return noAmounts;
  return new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]));
}

export function printAmounts(amounts: ResourceAmounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, printQuantity(quantity)]));
}

/** Adds per resource; a resource missing on one side counts as zero. */
export function addAmounts(left: ResourceAmounts, right: ResourceAmounts): ResourceAmounts {
  return combine(left, right, addQuantities);
}

/** Subtracts per resource; a resource that only `right` has is negative in the result. */
export function subtractAmounts(left: ResourceAmounts, right: ResourceAmounts): ResourceAmounts {
  const difference = new Map(left);
  for (const [name, quantity] of right) {
    const from = left.get(name);
    difference.set(name, from === undefined ? negateQuantity(quantity) : subtractQuantities(from, quantity));
  }
  return difference;
}

/** Like `subtractAmounts`, with zero instead of a negative amount. */
export function subtractToZero(left: ResourceAmounts, right: ResourceAmounts): ResourceAmounts {
  const difference = subtractAmounts(left, right);
  return new Map(
    [...difference].map(([name, quantity]) => [name, quantitySign(quantity) > 0 ? quantity : zeroQuantity]),
  );
}

/** Returns the larger amount of each resource. A resource that only one side has keeps its amount. */
export function maxAmounts(left: ResourceAmounts, right: ResourceAmounts): ResourceAmounts {
  return combine(left, right, (a, b) => (compareQuantities(b, a) > 0 ? b : a));
}

/** Returns the smaller amount of each resource. A resource that only one side has keeps its amount. */
export function minAmounts(left: ResourceAmounts, right: ResourceAmounts): ResourceAmounts {
  return combine(left, right, (a, b) => (compareQuantities(b, a) < 0 ? b : a));
}

/** Returns the names of the resources whose amount exceeds its limit. A resource without a limit is never exceeded. */
export function exceededResources(amounts: ResourceAmounts, limits: ResourceAmounts): string[] {
  const exceeded: string[] = [];
  for (const [name, limit] of limits) {
    const amount = amounts.get(name);
    if (amount !== undefined && compareQuantities(amount, limit) > 0) exceeded.push(name);
  }
  return exceeded;
}

/** Whether a pod with these requests fits into `free`. A resource missing in `free` counts as zero; a request of zero always fits. */
export function amountsFit(requests: ResourceAmounts, free: ResourceAmounts): boolean {
  for (const [name, request] of requests) {
    if (compareQuantities(request, free.get(name) ?? zeroQuantity) > 0 && !isZeroQuantity(request)) return false;
  }
  return true;
}

/** Returns only the named resources. */
export function pickAmounts(amounts: ResourceAmounts, names: Iterable<string>): ResourceAmounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

export function withoutZeros(amounts: ResourceAmounts): ResourceAmounts {
  return new Map([...amounts].filter(([, quantity]) => !isZeroQuantity(quantity)));
}

/** Returns the names of the resources whose amount is negative. */
export function negativeResources(amounts: ResourceAmounts): string[] {
  return [...amounts].filter(([, quantity]) => quantitySign(quantity) < 0).map(([name]) => name);
}

/** Whether both have the same resources in the same amounts, in whatever notation. */
export function equalAmounts(left: ResourceAmounts, right: ResourceAmounts): boolean {
  if (left.size !== right.size) return false;
  for (const [name, quantity] of left) {
    const other = right.get(name);
    if (other === undefined || compareQuantities(quantity, other) !== 0) return false;
  }
  return true;
}

function combine(
  left: ResourceAmounts,
  right: ResourceAmounts,
  choose: (left: Quantity, right: Quantity) => Quantity,
): ResourceAmounts {
  if (right.size === 0) return left;
  if (left.size === 0) return right;
  const combined = new Map(left);
  for (const [name, quantity] of right) {
    const other = left.get(name);
    combined.set(name, other === undefined ? quantity : choose(other, quantity));
  }
  return combined;
}
