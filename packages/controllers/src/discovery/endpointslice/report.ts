// What is said of a look at a Service: what was counted, that hints came or went, and that something failed.
import { keyOf } from "@kubeloop/core/api";
import { type Action, type Measurement, type Outcome, type Plan, plan, recordEvent } from "@kubeloop/core/contract";
import type { DecidedSlices } from "./decide.ts";
import { endpointSlicesChangedPerSync, sliceChanges, syncs } from "./metrics.ts";
import type { Observed } from "./observe.ts";

const operations: Readonly<Partial<Record<Action["type"], string>>> = {
  create: "create",
  edit: "update",
  delete: "delete",
};

export function report({ selecting }: Observed, outcome: Outcome<DecidedSlices>): Plan {
  const failure = failureOf(outcome);
  const measures: Measurement[] = [syncs.inc({ result: failure === undefined ? "success" : "error" })];
  const { notes } = outcome;
  if (selecting === undefined || notes === undefined) return plan("counted", [], { measures });

  const { service } = selecting;
  for (const { action, result } of outcome.all) {
    const operation = operations[action.type];
    if (result.status === "done" && operation !== undefined) measures.push(sliceChanges.inc({ operation }));
  }
  const labels = {
    topology: notes.usesTopology ? "Auto" : "Disabled",
    traffic_distribution: notes.distribution ?? "",
  };
  for (const actions of notes.actions) {
    if (!actions.every((action) => outcome.isDone(action))) continue;
    measures.push(endpointSlicesChangedPerSync.observe(actions.length, labels));
  }
  const events = notes.events.map((event) => recordEvent(service, event));
  if (failure !== undefined) {
    const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${failure}`;
    events.push(recordEvent(service, { type: "Warning", reason: "FailedToUpdateEndpointSlices", message }));
  }
  return plan("reported", [events], { measures });
}

/** All that went wrong, in upstream's words. */
function failureOf(outcome: Outcome<DecidedSlices>): string | undefined {
  const failures = outcome.all.flatMap(({ action, result }) =>
    result.status === "failed" ? [`failed to ${whatOf(action)}: ${result.error.message}`] : [],
  );
  const { unfinished } = outcome.plan;
  const all = [...(unfinished === undefined ? [] : [unfinished.message]), ...failures];
  return all.length > 1 ? `[${all.join(", ")}]` : all[0];
}

function whatOf(action: Action): string {
  switch (action.type) {
    case "create":
      return "create EndpointSlice";
    case "edit":
      return `update ${action.before.metadata.name} EndpointSlice`;
    case "delete":
      return `delete ${action.key.split("/").at(-1)} EndpointSlice`;
    default:
      return action.type;
  }
}
