// What is said of Endpoints that could not be written.
import { type corev1, type KubernetesObject, keyOf } from "@kubeloop/core/api";
import { type Outcome, type Plan, plan, recordEvent } from "@kubeloop/core/contract";
import type { DecidedEndpoints } from "./decide.ts";
import type { Observed } from "./observe.ts";

export function report({ service }: Observed, outcome: Outcome<DecidedEndpoints>): Plan | undefined {
  if (service === undefined || !outcome.hasFailed) return undefined;
  const events = outcome.all.flatMap(({ action, result }) => {
    if (result.status !== "failed") return [];
    if (action.type === "create") {
      const message = `Failed to create endpoint for service ${keyOf(service)}: ${result.error.message}`;
      return [recordEvent(about(action.object), { type: "Warning", reason: "FailedToCreateEndpoint", message })];
    }
    if (action.type !== "edit") return [];
    const message = `Failed to update endpoint ${keyOf(service)}: ${result.error.message}`;
    return [recordEvent(about(action.before), { type: "Warning", reason: "FailedToUpdateEndpoint", message })];
  });
  return plan("failed", [events]);
}

const about = (object: KubernetesObject) => object as corev1.Endpoints;
