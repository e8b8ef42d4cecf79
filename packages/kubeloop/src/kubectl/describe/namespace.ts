// `describe namespace`: with its quotas and limit ranges.
import type { corev1 } from "@kubeloop/core/api";
import { sortedBy } from "./containers.ts";
import { Description, writeAnnotations, writeLabels } from "./description.ts";
import { limitHeaders, limitRows } from "./limit-range.ts";
import { quotaRows, scopeLines } from "./resource-quota.ts";
import { printLocalTime } from "./times.ts";

export interface NamespaceParts {
  /** Undefined if the server does not know the kind. */
  readonly quotas: readonly corev1.ResourceQuota[] | undefined;
  readonly limitRanges: readonly corev1.LimitRange[] | undefined;
}

export function describeNamespace({ metadata, status = {} }: corev1.Namespace, parts: NamespaceParts): string {
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  writeLabels(to, "Labels", metadata.labels);
  writeAnnotations(to, "Annotations", metadata.annotations);
  to.line(0, "Status:", status.phase);
  writeConditions(to, status.conditions);
  if (parts.quotas !== undefined) writeQuotas(to, parts.quotas);
  if (parts.limitRanges !== undefined) writeLimitRanges(to, parts.limitRanges);
  return to.toString();
}

function writeConditions(to: Description, conditions: readonly corev1.NamespaceCondition[] = []): void {
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type", "Status", "LastTransitionTime", "Reason", "Message");
  to.line(1, "----", "------", "------------------", "------", "-------");
  for (const { type, status, lastTransitionTime, reason, message } of conditions)
    to.line(1, type, status, printLocalTime(lastTransitionTime), reason, message);
}

function writeQuotas(to: Description, quotas: readonly corev1.ResourceQuota[]): void {
  to.line(0);
  if (quotas.length === 0) {
    to.line(0, "No resource quota.");
    return;
  }
  to.line(0, "Resource Quotas");
  for (const quota of sortedBy(quotas, ({ metadata }) => metadata.name ?? "")) {
    to.line(1, "Name:", quota.metadata.name);
    for (const cells of scopeLines(quota, "* ")) to.line(1, ...cells);
    to.line(1, "Resource", "Used", "Hard");
    to.line(1, "--------", "---", "---");
    for (const row of quotaRows(quota)) to.line(1, ...row);
  }
}

function writeLimitRanges(to: Description, ranges: readonly corev1.LimitRange[]): void {
  to.line(0);
  if (ranges.length === 0) {
    to.line(0, "No LimitRange resource.");
    return;
  }
  to.line(0, "Resource Limits");
  for (const row of [...limitHeaders, ...ranges.flatMap(limitRows)]) to.write(` ${row.join("\t")}\n`);
}
