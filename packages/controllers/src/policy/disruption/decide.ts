// The rules of the disruption controller: the status of one budget, and the events that tell why it is so.
import type { metav1, policyv1 } from "@kubeloop/core/api";
import { keyOf } from "@kubeloop/core/api";
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  editStatus,
  plan,
  recordEvent,
  type Wake,
} from "@kubeloop/core/contract";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import { expectedPods } from "./expected-pods.ts";
import type { Observed } from "./observe.ts";
import { countHealthy, findDisrupted, withCounts } from "./status.ts";
import { recheckQueue } from "./wakes.ts";

/** Why the status could not be computed; for `report`, which then writes that nothing is allowed. */
export interface Notes {
  readonly failure?: Error;
}

export function decide(observed: Observed, context: DecideContext): Decision<Notes> {
  const { budget, pods } = observed;
  if (pods instanceof Error) {
    const event = warning(budget, "NoPods", `Failed to get pods: ${pods.message}`);
    return plan("its selector cannot be read", [[event]], { notes: { failure: pods } });
  }
  const noPods =
    pods.length > 0
      ? undefined
      : recordEvent(budget, { type: "Normal", reason: "NoPods", message: "No matching pods found" });

  const expected = expectedPods(observed, pods, context);
  if (expected.is === "asked") return ask("how many pods do their controllers want?", ...expected.questions);
  if (expected.is === "unknown") {
    const message = `Failed to calculate the number of expected pods: ${expected.error.message}`;
    return plan(
      "nobody knows how many pods there should be",
      [[noPods, warning(budget, "CalculateExpectedPodCountFailed", message)]],
      {
        notes: { failure: expected.error },
        unfinished: expected.isTransient ? expected.error : undefined,
      },
    );
  }

  const { nowMs } = context;
  const disrupted = findDisrupted(budget, pods, nowMs);
  const counts = {
    currentHealthy: countHealthy(pods, disrupted.pods, nowMs),
    desiredHealthy: expected.desiredHealthy,
    expectedPods: expected.expectedPods,
    disruptedPods: disrupted.pods,
  };
  const after = withCounts(budget, counts, nowMs);
  const notDeleted = disrupted.overdue.map((pod) => {
    // The namespace twice, and no name: upstream's text.
    const { namespace = "" } = budget.metadata;
    return warning(pod, "NotDeleted", `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`);
  });
  const unmanaged = expected.hasUnmanaged ? warning(budget, "UnmanagedPods", unmanagedText(budget)) : undefined;
  return plan(
    `${counts.currentHealthy} of ${counts.expectedPods} are healthy, ${counts.desiredHealthy} are needed`,
    [[noPods, unmanaged, ...notDeleted, editStatus(podDisruptionBudgets, budget, after)]],
    { wakes: disrupted.nextInMs === undefined ? [] : [recheckOf(budget, disrupted.nextInMs)] },
  );
}

const recheckOf = (budget: policyv1.PodDisruptionBudget, afterMs: number): Wake => ({
  key: keyOf(budget),
  queue: recheckQueue,
  afterMs,
});

function warning(about: Parameters<typeof recordEvent>[0], reason: string, message: string): Action {
  return recordEvent(about, { type: "Warning", reason, message });
}

function unmanagedText({ spec }: policyv1.PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${printSelector(spec?.selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** As Go prints it. */
function printSelector(selector: metav1.LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.entries(matchLabels)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
