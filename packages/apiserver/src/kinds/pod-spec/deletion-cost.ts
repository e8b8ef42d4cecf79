// The annotation that tells which pods of a set go first.
import type { LabelMap } from "../shared/labels.ts";

export const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** A 32-bit number without plus sign and leading zeros; true also where there is none. */
export function isDeletionCost(annotations: LabelMap | undefined): boolean {
  const text = annotations?.[deletionCostAnnotation];
  if (text === undefined) return true;
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text)) return false;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31;
}
