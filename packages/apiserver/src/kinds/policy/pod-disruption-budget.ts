// PodDisruptionBudget: how many of a set of pods may be taken away at once.
import { type policyv1, printIntOrString } from "@kubeloop/core/api";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import { checkAmountOrShare, checkAtMostAll } from "../apps/rolling-update.ts";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative, checkOptionalChoice } from "../shared/checks.ts";
import { checkConditions } from "../shared/conditions.ts";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import { pathSegmentName } from "../shared/names.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";

type Spec = policyv1.PodDisruptionBudgetSpec;

const numbers = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;

export const podDisruptionBudgetRules: KindRules<policyv1.PodDisruptionBudget> = {
  resource: podDisruptionBudgets,
  metadataOnCreate: "passed over",
  metadataOnUpdate: [],
  checkName: pathSegmentName,
  needsVersionOnUpdate: true,
  generation: "spec",
  prepareCreate(draft) {
    draft.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate: ({ spec = {} }) => collectFaults("spec", (place) => checkSpec(spec, place)),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (place) => {
      const wasBad = collectFaults("", (at) => checkLabelSelector(old.spec?.selector, at)).length > 0;
      checkSpec(spec, place, { allowsInvalidValues: wasBad });
    }),
  subresources: {
    status: {
      metadataOnUpdate: [],
      prepareUpdate: keepAllButStatus,
      validateUpdate: ({ status }) =>
        collectFaults("status", (place) => {
          checkConditions(status?.conditions, place.at("conditions"));
          for (const field of numbers) checkNonNegative(status?.[field], place.at(field));
        }),
    },
  },
  printRow: ({ metadata, spec = {}, status }, { nowMs }) => [
    metadata.name,
    spec.minAvailable === undefined ? "N/A" : printIntOrString(spec.minAvailable),
    spec.maxUnavailable === undefined ? "N/A" : printIntOrString(spec.maxUnavailable),
    status?.disruptionsAllowed ?? 0,
    printAge(metadata.creationTimestamp, nowMs),
  ],
};

function checkSpec(spec: Spec, place: FaultPlace, options: SelectorOptions = {}): void {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    place.invalid(internalSpec(spec), "minAvailable and maxUnavailable cannot be both set");
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    checkAmountOrShare(value, place.at(field));
    checkAtMostAll(value, place.at(field));
  }
  checkLabelSelector(selector, place.at("selector"), options);
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  checkOptionalChoice(unhealthyPodEvictionPolicy, place.at("unhealthyPodEvictionPolicy"), policies);
}

function internalSpec({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: Spec): unknown {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}
