// PodDisruptionBudget: how many of a set of pods may be taken away at once.
import { type policyv1, printIntOrString } from "@kubeloop/core/api";
import { podDisruptionBudgets } from "@kubeloop/core/resources";
import { checkAmountOrShare, checkAtMostAll } from "../apps/rolling-update.ts";
import type { KindRules } from "../kind-rules.ts";
import { checkNonNegative, checkOptionalChoice } from "../shared/checks.ts";
import { checkConditions } from "../shared/conditions.ts";
import { checkLabelSelector, type SelectorOptions } from "../shared/labels.ts";
import { pathSegmentName } from "../shared/names.ts";
import { printAge } from "../shared/print-age.ts";
import { keepAllButStatus } from "../shared/status-metadata.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

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
  validate: ({ spec = {} }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  validateUpdate: ({ spec = {} }, old) =>
    collectFaults("spec", (fldPath) => {
      const wasBad = collectFaults("", (at) => checkLabelSelector(old.spec?.selector, at)).length > 0;
      checkSpec(spec, fldPath, { allowsInvalidValues: wasBad });
    }),
  subresources: {
    status: {
      metadataOnUpdate: [],
      prepareUpdate: keepAllButStatus,
      validateUpdate: ({ status }) =>
        collectFaults("status", (fldPath) => {
          checkConditions(status?.conditions, fldPath.at("conditions"));
          for (const field of numbers) checkNonNegative(status?.[field], fldPath.at(field));
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

function checkSpec(spec: Spec, fldPath: ValidationPath, options: SelectorOptions = {}): void {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    fldPath.invalid(internalSpec(spec), "minAvailable and maxUnavailable cannot be both set");
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue;
    checkAmountOrShare(value, fldPath.at(field));
    checkAtMostAll(value, fldPath.at(field));
  }
  checkLabelSelector(selector, fldPath.at("selector"), options);
  const policies = ["AlwaysAllow", "IfHealthyBudget"];
  checkOptionalChoice(unhealthyPodEvictionPolicy, fldPath.at("unhealthyPodEvictionPolicy"), policies);
}

function internalSpec({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: Spec): unknown {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}
