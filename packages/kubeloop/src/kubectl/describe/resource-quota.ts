// `describe resourcequota`, and the rows of a quota that a namespace shows too.
import type { corev1 } from "@kubeloop/core/api";
import { printQuantity, quantityOf, quantityValue, toQuantity } from "@kubeloop/core/api";
import { Description, sortedKeys } from "./description.ts";

export function describeResourceQuota(quota: corev1.ResourceQuota): string {
  const to = new Description();
  to.line(0, "Name:", quota.metadata.name);
  to.line(0, "Namespace:", quota.metadata.namespace);
  for (const cells of scopeLines(quota, " * ")) to.line(0, ...cells);
  to.line(0, "Resource", "Used", "Hard");
  to.line(0, "--------", "----", "----");
  for (const row of quotaRows(quota, "format of hard")) to.line(0, ...row);
  return to.toString();
}

type Row = readonly [resource: string, used: string, hard: string];

/** Used amounts are printed in their own format, or in that of the hard limit. */
export function quotaRows({ status }: corev1.ResourceQuota, format = "own format"): readonly Row[] {
  const { hard = {}, used = {} } = status ?? {};
  return sortedKeys(hard).map((name) => {
    const [limit, amount] = [toQuantity(hard[name] ?? "0"), toQuantity(used[name] ?? "0")];
    const isOther = format === "format of hard" && limit.format !== amount.format;
    const shown = isOther ? quantityOf(quantityValue(amount), { format: limit.format }) : amount;
    return [name, printQuantity(shown), printQuantity(limit)];
  });
}

/** The scopes of a quota, and what each of them means. */
export function scopeLines({ spec }: corev1.ResourceQuota, bullet: string): readonly (readonly string[])[] {
  const scopes = (spec?.scopes ?? []).toSorted();
  if (scopes.length === 0) return [];
  const helps = scopes.flatMap((scope) => scopeHelp.get(scope) ?? []);
  return [["Scopes:", scopes.join(", ")], ...helps.map((help) => [`${bullet}${help}`])];
}

const scopeHelp: ReadonlyMap<string, string> = new Map([
  [
    "Terminating",
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  ],
  [
    "NotTerminating",
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  ],
  [
    "BestEffort",
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  ],
  [
    "NotBestEffort",
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
  ],
]);
