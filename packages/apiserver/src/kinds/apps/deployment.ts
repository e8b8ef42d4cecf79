// Deployments: pods of a template that are replaced step by step when the template changes.
import { type appsv1, fieldPath } from "@kubeloop/core/api";
import { deployments } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText, templateWarnings } from "../pod-spec/warnings.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { internalForm } from "../shared/internal-form.ts";
import { printAge } from "../shared/print-age.ts";
import { checkAvailable, checkCollisionCount, checkParts } from "../shared/replica-counts.ts";
import { checkImmutable, isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkAmountOrShare, checkAtMostAll, numberOf } from "./rolling-update.ts";
import { checkReplicaSetTemplate, scaleSelector } from "./workload-template.ts";

type Deployment = appsv1.Deployment;
type DeploymentSpec = appsv1.DeploymentSpec;

/** Annotations count: they are copied to the ReplicaSets. */
const hasChanged = (object: Deployment, old: Deployment) =>
  !isSame(object.spec, old.spec, "io.k8s.api.apps.v1.DeploymentSpec") ||
  !isSame(object.metadata.annotations, old.metadata.annotations);

export const deploymentRules: KindRules<Deployment> = {
  resource: deployments,
  untouched: { status: [["spec"], ["metadata", "labels"]] },
  defaults({ spec }) {
    spec.replicas ??= 1;
    spec.strategy ??= {};
    const { strategy } = spec;
    strategy.type ||= "RollingUpdate";
    if (strategy.type === "RollingUpdate") {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= "25%";
      strategy.rollingUpdate.maxSurge ??= "25%";
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    setTemplateDefaults(spec.template);
  },
  prepareCreate: ({ spec }) => dropDisabledFields(spec.template.spec),
  prepareUpdate: ({ spec }, old) => dropDisabledFields(spec.template.spec, old.spec.template.spec),
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      checkSpec(spec, fldPath, old.spec);
      checkImmutable(spec.selector, old.spec.selector, fldPath.at("selector"));
    }),
  warnings(object, old) {
    const ofName = old === undefined ? nameWarnings(object.metadata.name, podNamesText) : [];
    if (old !== undefined && !hasChanged(object, old)) return ofName;
    return [...ofName, ...templateWarnings(object.spec.template, fieldPath("spec", "template"))];
  },
  generation: hasChanged,
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec.template.spec),
    scaleSelector(spec.selector),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as typeof draft.spec;
        if (old.metadata.labels === undefined) delete draft.metadata.labels;
        else draft.metadata.labels = old.metadata.labels;
      },
      validateUpdate: ({ status }, old) =>
        collectFaults("status", (fldPath) => checkStatus(status ?? {}, fldPath, old.status ?? {})),
    },
  },
  scale: {
    replicasOf: ({ spec }) => spec.replicas ?? 0,
    statusReplicasOf: ({ status }) => status?.replicas ?? 0,
    selectorOf: ({ spec }) => scaleSelector(spec.selector),
    setReplicas(draft, replicas) {
      draft.spec = { ...draft.spec, replicas };
    },
  },
};

function checkSpec(spec: DeploymentSpec, fldPath: ValidationPath, old?: DeploymentSpec): void {
  checkNonNegative(spec.replicas, fldPath.at("replicas"));
  checkReplicaSetTemplate(spec, fldPath, templateOptions(old?.template));
  checkStrategy(spec.strategy ?? {}, fldPath.at("strategy"));
  checkNonNegative(spec.minReadySeconds, fldPath.at("minReadySeconds"));
  checkNonNegative(spec.revisionHistoryLimit, fldPath.at("revisionHistoryLimit"));
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline === undefined) return;
  const deadlinePath = fldPath.at("progressDeadlineSeconds");
  checkNonNegative(deadline, deadlinePath);
  if (deadline <= minReadySeconds) deadlinePath.invalid(deadline, "must be greater than minReadySeconds");
}

function checkStrategy(strategy: appsv1.DeploymentStrategy, fldPath: ValidationPath): void {
  const { type = "", rollingUpdate } = strategy;
  const updatePath = fldPath.at("rollingUpdate");
  switch (type) {
    case "Recreate":
      if (rollingUpdate !== undefined) {
        updatePath.forbidden("may not be specified when strategy `type` is 'Recreate'");
      }
      break;
    case "RollingUpdate":
      if (rollingUpdate === undefined) updatePath.required("this should be defaulted and never be nil");
      else checkRollingUpdate(rollingUpdate, updatePath);
      break;
    default:
      fldPath.notSupported(internalForm(strategy, "DeploymentStrategy"), ["Recreate", "RollingUpdate"]);
  }
}

function checkRollingUpdate(
  { maxUnavailable, maxSurge }: appsv1.RollingUpdateDeployment,
  fldPath: ValidationPath,
): void {
  const unavailablePath = fldPath.at("maxUnavailable");
  checkAmountOrShare(maxUnavailable, unavailablePath);
  checkAmountOrShare(maxSurge, fldPath.at("maxSurge"));
  if (numberOf(maxUnavailable) === 0 && numberOf(maxSurge) === 0) {
    unavailablePath.invalid(maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  checkAtMostAll(maxUnavailable, unavailablePath);
}

const statusNumbers = [
  "observedGeneration",
  "replicas",
  "updatedReplicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "terminatingReplicas",
  "collisionCount",
] as const;

function checkStatus(status: appsv1.DeploymentStatus, fldPath: ValidationPath, old: appsv1.DeploymentStatus): void {
  for (const field of statusNumbers) checkNonNegative(status[field], fldPath.at(field));
  checkParts(status, fldPath, ["updatedReplicas", "readyReplicas", "availableReplicas"]);
  checkAvailable(status, fldPath, "cannot be greater than readyReplicas");
  checkCollisionCount(status.collisionCount, fldPath.at("collisionCount"), old.collisionCount);
}
