// The conditions of a workload as a table.
import type { Description } from "./description.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export function writeConditions(to: Description, conditions: readonly Condition[] = []): void {
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type", "Status", "Reason");
  to.line(1, "----", "------", "------");
  for (const { type, status, reason } of conditions) to.line(1, `${type} `, status, reason);
}
