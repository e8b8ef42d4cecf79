// StatefulSets: pods with names and claims that stay. Of the spec only how many, which template and how it is rolled out may change.
import {
  type appsv1,
  asPrefix,
  childPath,
  type corev1,
  fieldPath,
  itemPath,
  validateDns1123Label,
} from "@kubeloop/core/api";
import { statefulSets } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { checkPodAnnotations, checkTemplate, templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import type { PodSpecOptions } from "../pod-spec/options.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { templateWarnings } from "../pod-spec/warnings.ts";
import { checkDnsLabel, checkNonNegative, isAbsent } from "../shared/checks.ts";
import { checkClaimSpec, claimSpecWarnings, setClaimSpecDefaults } from "../shared/claim-spec.ts";
import { internalForm } from "../shared/internal-form.ts";
import { checkAnnotations, checkLabels } from "../shared/labels.ts";
import { printAge } from "../shared/print-age.ts";
import { roundResourceList } from "../shared/quantities.ts";
import { checkAvailable, checkCollisionCount, checkParts } from "../shared/replica-counts.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkAmountOrShare, checkAtMostAll, numberOf } from "./rolling-update.ts";
import {
  checkAlwaysRestarted,
  checkLabelsMatch,
  checkRequiredSelector,
  parsedSelector,
  scaleSelector,
} from "./workload-template.ts";

type StatefulSet = appsv1.StatefulSet;
type StatefulSetSpec = appsv1.StatefulSetSpec;

const specSchema = "io.k8s.api.apps.v1.StatefulSetSpec";
const hasChanged = (object: StatefulSet, old: StatefulSet) => !isSame(object.spec, old.spec, specSchema);

export const statefulSetRules: KindRules<StatefulSet> = {
  resource: statefulSets,
  checkName: (name, isPrefix) => (isPrefix ? asPrefix(validateDns1123Label)(name) : validateDns1123Label(name)),
  defaults: ({ spec }) => setSpecDefaults(spec),
  prepareCreate(draft) {
    const { spec } = draft;
    draft.status = { replicas: 0, availableReplicas: 0 };
    dropMaxUnavailable(spec);
    dropDisabledFields(spec.template.spec);
  },
  prepareUpdate({ spec }, old) {
    dropMaxUnavailable(spec, old.spec);
    dropDisabledFields(spec.template.spec, old.spec.template.spec);
  },
  validate: ({ spec }) =>
    collectFaults("spec", (fldPath) =>
      checkSpec(spec, fldPath, { options: templateOptions(), checksTemplate: true, isNew: true }),
    ),
  validateUpdate: ({ spec }, old) => collectFaults("spec", (fldPath) => checkChangedSpec(spec, fldPath, old.spec)),
  warnings(object, old) {
    const { spec } = object;
    const isNew = old === undefined;
    const ofTemplate =
      isNew || hasChanged(object, old) ? templateWarnings(spec.template, fieldPath("spec", "template")) : [];
    const ofClaims = (spec.volumeClaimTemplates ?? []).flatMap((claim, i) => {
      const path = itemPath(fieldPath("spec", "volumeClaimTemplates"), i);
      return claimSpecWarnings(claim.spec ?? {}, isNew ? path : childPath(path, "Spec"));
    });
    const ofHistory =
      (spec.revisionHistoryLimit ?? 0) < 0
        ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
        : [];
    return [...ofTemplate, ...ofClaims, ...ofHistory];
  },
  generation: hasChanged,
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec.template.spec),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as typeof draft.spec;
      },
      validateUpdate: ({ status }, old) =>
        collectFaults("status", (fldPath) => checkStatus(status, fldPath, old.status)),
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

function setSpecDefaults(spec: Draft<StatefulSetSpec>): void {
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if (isAbsent(updateStrategy.type)) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate !== undefined) {
    updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) setClaimDefaults(claim);
}

function setClaimDefaults(claim: Draft<appsv1.Embedded<corev1.PersistentVolumeClaim>>): void {
  claim.kind = "PersistentVolumeClaim";
  claim.apiVersion = "v1";
  claim.status ??= {};
  claim.status.phase ||= "Pending";
  claim.spec ??= {};
  setClaimSpecDefaults(claim.spec);
  roundResourceList(claim.status.capacity);
  roundResourceList(claim.status.allocatedResources);
}

/** The feature is switched off. */
function dropMaxUnavailable({ updateStrategy }: Draft<StatefulSetSpec>, old?: StatefulSetSpec): void {
  if (old?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined)
    delete updateStrategy?.rollingUpdate?.maxUnavailable;
}

interface SpecOptions {
  readonly options: PodSpecOptions;
  /** A template that was let in before may stay as faulty as it is. */
  readonly checksTemplate: boolean;
  /** Claims and the service's name cannot change, and are looked at once. */
  readonly isNew: boolean;
}

function checkClaims({ volumeClaimTemplates = [] }: StatefulSetSpec, fldPath: ValidationPath): void {
  for (const [i, claim] of volumeClaimTemplates.entries()) checkClaimSpec(claim.spec ?? {}, fldPath.item(i).at("spec"));
}

function checkSpec(spec: StatefulSetSpec, fldPath: ValidationPath, specOptions: SpecOptions): void {
  const { podManagementPolicy: policy } = spec;
  const policyPath = fldPath.at("podManagementPolicy");
  if (isAbsent(policy)) policyPath.required();
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    policyPath.invalid(policy, "must be 'OrderedReady' or 'Parallel'");
  }
  checkStrategy(spec.updateStrategy ?? {}, fldPath.at("updateStrategy"));
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  const retentionPath = fldPath.at("persistentVolumeClaimRetentionPolicy");
  checkRetention(whenDeleted, retentionPath.at("whenDeleted"));
  checkRetention(whenScaled, retentionPath.at("whenScaled"));
  const { isNew } = specOptions;
  if (isNew) checkClaims(spec, fldPath.at("volumeClaimTemplates"));
  checkNonNegative(spec.replicas, fldPath.at("replicas"));
  checkNonNegative(spec.minReadySeconds, fldPath.at("minReadySeconds"));
  checkNonNegative(spec.ordinals?.start, fldPath.at("ordinals.start"));
  if (isNew && !isAbsent(spec.serviceName)) checkDnsLabel(spec.serviceName, fldPath.at("serviceName"));
  checkRequiredSelector(spec.selector, fldPath.at("selector"), "statefulset");
  const selector = parsedSelector(spec.selector);
  if (selector === undefined) {
    fldPath.at("selector").invalid(spec.selector, "");
  } else {
    const template = templateOfPods(spec);
    const templatePath = fldPath.at("template");
    if (selector.selects === "nothing" || selector.requirements.length > 0) {
      checkLabelsMatch(selector, templatePath, template);
    }
    checkSetTemplate(template, templatePath, specOptions);
  }
  checkAlwaysRestarted(spec.template, fldPath.at("template"), "StatefulSet");
}

/** Said a second time, as upstream does: it runs both checks over them. */
function checkSetTemplate(
  template: corev1.PodTemplateSpec,
  fldPath: ValidationPath,
  { options, checksTemplate }: SpecOptions,
): void {
  if (checksTemplate) checkTemplate(template, fldPath, options);
  const { labels, annotations = {} } = template.metadata ?? {};
  checkLabels(labels, fldPath.at("labels"));
  checkAnnotations(annotations, fldPath.at("annotations"));
  checkPodAnnotations(annotations, fldPath.at("annotations"), template.spec, options);
}

/** As its pods will be: named by the set, with a volume for each claim. */
function templateOfPods({ template, volumeClaimTemplates = [] }: StatefulSetSpec): corev1.PodTemplateSpec {
  const { subdomain: _, hostname: __, ...spec } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec };
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ""));
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...spec, volumes: [...claimed, ...others] } };
}

function checkStrategy(strategy: appsv1.StatefulSetUpdateStrategy, fldPath: ValidationPath): void {
  const { type, rollingUpdate } = strategy;
  const updatePath = fldPath.at("rollingUpdate");
  switch (type) {
    case undefined:
    case "":
      fldPath.required();
      break;
    case "OnDelete":
      if (rollingUpdate !== undefined) {
        const shown = internalForm(rollingUpdate, "RollingUpdateStatefulSetStrategy");
        updatePath.invalid(shown, "only allowed for updateStrategy 'RollingUpdate'");
      }
      break;
    case "RollingUpdate":
      if (rollingUpdate !== undefined) checkRollingUpdate(rollingUpdate, updatePath);
      break;
    default:
      fldPath.invalid(internalForm(strategy, "StatefulSetUpdateStrategy"), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function checkRollingUpdate(
  { partition, maxUnavailable }: appsv1.RollingUpdateStatefulSetStrategy,
  fldPath: ValidationPath,
): void {
  checkNonNegative(partition, fldPath.at("partition"));
  if (maxUnavailable === undefined) return;
  const unavailablePath = fldPath.at("maxUnavailable");
  checkAmountOrShare(maxUnavailable, unavailablePath);
  if (numberOf(maxUnavailable) === 0) unavailablePath.invalid(maxUnavailable, "cannot be 0");
  checkAtMostAll(maxUnavailable, unavailablePath);
}

function checkRetention(policy: string | undefined, fldPath: ValidationPath): void {
  if (policy !== "Retain" && policy !== "Delete") fldPath.notSupported(policy ?? "", ["Retain", "Delete"]);
}

const changeable = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;

function checkChangedSpec(spec: StatefulSetSpec, fldPath: ValidationPath, old: StatefulSetSpec): void {
  const options = templateOptions(old.template);
  const oldFaults = collectFaults("spec", (oldPath) =>
    checkSpec(old, oldPath, { options, checksTemplate: true, isNew: false }),
  );
  checkSpec(spec, fldPath, { options, checksTemplate: oldFaults.length === 0, isNew: false });
  if (isSame(withoutChangeable(spec), withoutChangeable(old), specSchema)) return;
  fldPath.forbidden(
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
}

function withoutChangeable(spec: StatefulSetSpec): object {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !changeable.some((each) => each === field)));
}

const statusNumbers = [
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "availableReplicas",
  "observedGeneration",
  "collisionCount",
] as const;

function checkStatus(
  status: Partial<appsv1.StatefulSetStatus> = {},
  fldPath: ValidationPath,
  old: Partial<appsv1.StatefulSetStatus> = {},
): void {
  for (const field of statusNumbers) checkNonNegative(status[field], fldPath.at(field));
  checkParts(status, fldPath, ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"]);
  checkAvailable(status, fldPath, "cannot be greater than status.readyReplicas");
  checkCollisionCount(status.collisionCount, fldPath.at("collisionCount"), old.collisionCount);
}
