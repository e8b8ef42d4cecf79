// `describe poddisruptionbudget`.
import type { policyv1 } from "@kubeloop/core/api";
import { formatLabelSelector } from "@kubeloop/core/api";
import { Description } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";

export function describePodDisruptionBudget(
  { metadata, spec = {}, status }: policyv1.PodDisruptionBudget,
  events: ShownEvents,
  nowMs: number,
): string {
  const to = new Description();
  to.line(0, "Name:", metadata.name);
  to.line(0, "Namespace:", metadata.namespace);
  if (spec.minAvailable !== undefined) to.line(0, "Min available:", spec.minAvailable);
  else if (spec.maxUnavailable !== undefined) to.line(0, "Max unavailable:", spec.maxUnavailable);
  to.line(0, "Selector:", spec.selector === undefined ? "<unset>" : formatLabelSelector(spec.selector));
  to.line(0, "Status:");
  to.line(2, "Allowed disruptions:", status?.disruptionsAllowed ?? 0);
  to.line(2, "Current:", status?.currentHealthy ?? 0);
  to.line(2, "Desired:", status?.desiredHealthy ?? 0);
  to.line(2, "Total:", status?.expectedPods ?? 0);
  writeEvents(to, events, nowMs);
  return to.toString();
}
