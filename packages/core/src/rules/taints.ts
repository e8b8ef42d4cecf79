// Taints keep pods away from nodes; tolerations are exceptions to that. The comparison operators (`Gt`, `Lt`, alpha in 1.36 and off by
// default) are used only if the caller enables them, like upstream's feature gate.
import type { Taint, Toleration } from "../api/generated/types/core/v1.ts";

export interface TaintOptions {
  /** The feature gate TaintTolerationComparisonOperators. */
  readonly comparisonOperators?: boolean;
}

/** An empty effect matches all effects, an empty key all keys; an empty operator means `Equal`. */
export function toleratesTaint(toleration: Toleration, taint: Taint, options: TaintOptions = {}): boolean {
  const { effect = "", key = "", operator = "", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator) {
    case "":
    case "Equal":
      return value === (taint.value ?? "");
    case "Exists":
      return true;
    case "Gt":
    case "Lt":
      return options.comparisonOperators === true && isBeyond(taint.value ?? "", operator, value);
    default:
      return false;
  }
}

export function isTaintTolerated(
  taint: Taint,
  tolerations: readonly Toleration[] | undefined,
  options: TaintOptions = {},
): boolean {
  return tolerations?.some((toleration) => toleratesTaint(toleration, taint, options)) === true;
}

export interface UntoleratedOptions extends TaintOptions {
  /** Only taints with one of these effects. Default: all. */
  readonly effects?: readonly string[];
}

/** Returns the first taint that the tolerations do not tolerate. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  options: UntoleratedOptions = {},
): Taint | undefined {
  return taints?.find(
    (taint) => options.effects?.includes(taint.effect) !== false && !isTaintTolerated(taint, tolerations, options),
  );
}

/** Returns for each taint the first toleration that tolerates it; undefined if some taint is not tolerated. */
export function matchingTolerations(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  options: TaintOptions = {},
): readonly Toleration[] | undefined {
  const used: Toleration[] = [];
  for (const taint of taints) {
    const toleration = tolerations?.find((candidate) => toleratesTaint(candidate, taint, options));
    if (toleration === undefined) return undefined;
    used.push(toleration);
  }
  return used;
}

/** Returns how long the pod may stay: the shortest tolerationSeconds; Infinity if none is given; 0 if there is no
 * toleration. */
export function minTolerationSeconds(tolerations: readonly Toleration[]): number {
  if (tolerations.length === 0) return 0;
  let shortest = Number.POSITIVE_INFINITY;
  for (const { tolerationSeconds } of tolerations) {
    if (tolerationSeconds !== undefined && tolerationSeconds !== null) shortest = Math.min(shortest, tolerationSeconds);
  }
  return Math.max(shortest, 0);
}

/** Whether the taint's number is above (Gt) or below (Lt) the toleration's. False if either is not a plain decimal int64. */
function isBeyond(taintValue: string, operator: "Gt" | "Lt", tolerationValue: string): boolean {
  const taint = toInt64(taintValue);
  const bound = toInt64(tolerationValue);
  if (taint === undefined || bound === undefined) return false;
  return operator === "Gt" ? taint > bound : taint < bound;
}

function toInt64(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  const number = BigInt(text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}
