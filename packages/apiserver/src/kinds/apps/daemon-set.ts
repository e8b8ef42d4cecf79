// DaemonSets: a pod of a template on every node that fits. How often the template changed stands in an annotation.
import { type appsv1, fieldPath, formatLabelSelector } from "@kubeloop/core/api";
import { daemonSets } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkTemplate, templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { templateWarnings } from "../pod-spec/warnings.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import { checkLabelSelector, formatLabels, hasInvalidLabelValue, isEmptySelector } from "../shared/labels.ts";
import { printAge } from "../shared/print-age.ts";
import { checkCollisionCount } from "../shared/replica-counts.ts";
import { checkImmutable, isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkAmountOrShare, checkAtMostAll, numberOf } from "./rolling-update.ts";
import { setTemplateGeneration, templateGeneration } from "./template-generation.ts";
import { checkAlwaysRestarted, checkLabelsMatch, parsedSelector } from "./workload-template.ts";

type DaemonSet = appsv1.DaemonSet;
type DaemonSetSpec = appsv1.DaemonSetSpec;

const hasNewTemplate = (object: DaemonSet, old: DaemonSet) =>
  !isSame(object.spec.template, old.spec.template, "io.k8s.api.core.v1.PodTemplateSpec");

export const daemonSetRules: KindRules<DaemonSet> = {
  resource: daemonSets,
  defaults(draft) {
    const { spec } = draft;
    setTemplateGeneration(draft, templateGeneration(draft));
    spec.updateStrategy ??= {};
    const { updateStrategy } = spec;
    updateStrategy.type ||= "RollingUpdate";
    if (updateStrategy.type === "RollingUpdate") {
      updateStrategy.rollingUpdate ??= {};
      updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    } else if (updateStrategy.rollingUpdate !== undefined) {
      // In the version that is not shown both are always there.
      updateStrategy.rollingUpdate.maxUnavailable ??= 0;
      updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    setTemplateDefaults(spec.template);
  },
  prepareCreate(draft) {
    draft.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    const given = templateGeneration(draft);
    setTemplateGeneration(draft, given < 1n ? 1n : given);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareUpdate(draft, old) {
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    setTemplateGeneration(draft, templateGeneration(old) + (hasNewTemplate(draft, old) ? 1n : 0n));
  },
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath, templateOptions())),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      checkImmutable(spec.selector, old.spec.selector, fldPath.at("selector"));
      const options = templateOptions(old.spec.template);
      const allowsInvalidSelectorValues =
        options.allowsInvalidSelectorValues || hasInvalidLabelValue(old.spec.selector);
      checkSpec(spec, fldPath, { ...options, allowsInvalidSelectorValues });
    }),
  warnings: (object, old) =>
    old === undefined || hasNewTemplate(object, old)
      ? templateWarnings(object.spec.template, fieldPath("spec", "template"))
      : [],
  generation: (object, old) => !isSame(object.spec, old.spec, "io.k8s.api.apps.v1.DaemonSetSpec"),
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec.template.spec.nodeSelector),
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec.template.spec),
    formatLabelSelector(spec.selector),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as typeof draft.spec;
        setTemplateGeneration(draft, templateGeneration(old));
      },
      validateUpdate: ({ status }, old) =>
        collectFaults("status", (fldPath) => checkStatus(status, fldPath, old.status)),
    },
  },
};

function checkSpec(spec: DaemonSetSpec, fldPath: ValidationPath, options: PodSpecOptions): void {
  const { selector, template } = spec;
  const { allowsInvalidSelectorValues: allowsInvalidValues } = options;
  checkLabelSelector(selector, fldPath.at("selector"), { allowsInvalidValues });
  const parsed = parsedSelector(selector);
  const templatePath = fldPath.at("template");
  if (parsed !== undefined) checkLabelsMatch(parsed, templatePath, template);
  if (selector && isEmptySelector(selector)) {
    fldPath.at("selector").invalid(selector, "empty selector is invalid for daemonset");
  }
  checkTemplate(template, templatePath, options);
  checkAlwaysRestarted(template, templatePath, "DaemonSet");
  checkNonNegative(spec.minReadySeconds, fldPath.at("minReadySeconds"));
  checkStrategy(spec.updateStrategy ?? {}, fldPath.at("updateStrategy"));
  checkNonNegative(spec.revisionHistoryLimit, fldPath.at("revisionHistoryLimit"));
}

function checkStrategy(strategy: appsv1.DaemonSetUpdateStrategy, fldPath: ValidationPath): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    fldPath.notSupported(internalForm(strategy, "DaemonSetUpdateStrategy"), ["RollingUpdate", "OnDelete"]);
  } else if (rollingUpdate === undefined) {
    fldPath.at("rollingUpdate").required();
  } else {
    checkRollingUpdate(rollingUpdate, fldPath.at("rollingUpdate"));
  }
}

/** Either some are missing for a while, or some are surplus. */
function checkRollingUpdate(
  { maxUnavailable, maxSurge }: appsv1.RollingUpdateDaemonSet,
  fldPath: ValidationPath,
): void {
  const unavailablePath = fldPath.at("maxUnavailable");
  const surgePath = fldPath.at("maxSurge");
  checkAmountOrShare(maxUnavailable, unavailablePath);
  checkAmountOrShare(maxSurge, surgePath);
  checkAtMostAll(maxUnavailable, unavailablePath);
  checkAtMostAll(maxSurge, surgePath);
  const [isMissing, isSurplus] = [numberOf(maxUnavailable) !== 0, numberOf(maxSurge) !== 0];
  if (isMissing && isSurplus) surgePath.invalid(maxSurge, "may not be set when maxUnavailable is non-zero");
  if (!isMissing && !isSurplus) unavailablePath.required("cannot be 0 when maxSurge is 0");
}

const statusNumbers = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const;

function checkStatus(
  status: Partial<appsv1.DaemonSetStatus> = {},
  fldPath: ValidationPath,
  old: Partial<appsv1.DaemonSetStatus> = {},
): void {
  for (const field of statusNumbers) checkNonNegative(status[field], fldPath.at(field));
  checkCollisionCount(status.collisionCount, fldPath.at("collisionCount"), old.collisionCount);
}
