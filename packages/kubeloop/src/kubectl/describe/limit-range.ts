// `describe limitrange`, and the rows of a limit range that a namespace shows too. kubectl has the resources of an item in no
// particular order; here they are sorted.
import type { corev1 } from "@kubeloop/core/api";
import { canonicalQuantity } from "@kubeloop/core/api";
import { Description } from "./description.ts";

export function describeLimitRange(range: corev1.LimitRange): string {
  const to = new Description();
  to.line(0, "Name:", range.metadata.name);
  to.line(0, "Namespace:", range.metadata.namespace);
  for (const row of [...limitHeaders, ...limitRows(range)]) to.line(0, ...row);
  return to.toString();
}

export const limitHeaders: readonly (readonly string[])[] = [
  ["Type", "Resource", "Min", "Max", "Default Request", "Default Limit", "Max Limit/Request Ratio"],
  ["----", "--------", "---", "---", "---------------", "-------------", "-----------------------"],
];

export function limitRows({ spec }: corev1.LimitRange): readonly (readonly string[])[] {
  return (spec?.limits ?? []).flatMap((item) => {
    const lists = [item.min, item.max, item.defaultRequest, item.default, item.maxLimitRequestRatio];
    const names = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
    return [...names].toSorted().map((name) => [item.type, name, ...lists.map((list) => printLimit(list?.[name]))]);
  });
}

function printLimit(quantity: string | undefined): string {
  return quantity === undefined ? "-" : canonicalQuantity(quantity);
}
