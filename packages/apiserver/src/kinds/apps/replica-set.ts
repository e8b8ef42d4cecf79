// ReplicaSets: as many pods of a template as asked for.
import { type appsv1, fieldPath, formatLabelSelector } from "@kubeloop/core/api";
import { replicaSets } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText, templateWarnings } from "../pod-spec/warnings.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { printAge } from "../shared/print-age.ts";
import { checkReplicaCounts } from "../shared/replica-counts.ts";
import { checkImmutable, isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { checkReplicaSetTemplate, scaleSelector } from "./workload-template.ts";

type ReplicaSet = appsv1.ReplicaSet;

const hasChanged = (object: ReplicaSet, old: ReplicaSet) =>
  !isSame(object.spec, old.spec, "io.k8s.api.apps.v1.ReplicaSetSpec");

export const replicaSetRules: KindRules<ReplicaSet> = {
  resource: replicaSets,
  defaults({ spec }) {
    spec.replicas ??= 1;
    if (spec.template !== undefined) setTemplateDefaults(spec.template);
  },
  prepareCreate(draft) {
    const { spec } = draft;
    draft.status = { replicas: 0 };
    if (spec.template !== undefined) dropDisabledFields(spec.template.spec);
  },
  prepareUpdate({ spec }, old) {
    if (spec.template !== undefined) dropDisabledFields(spec.template.spec, old.spec.template?.spec);
  },
  validate: ({ spec }) => collectFaults("spec", (fldPath) => checkSpec(spec, fldPath)),
  validateUpdate: ({ spec }, old) =>
    collectFaults("spec", (fldPath) => {
      checkSpec(spec, fldPath, old.spec);
      checkImmutable(spec.selector, old.spec.selector, fldPath.at("selector"));
    }),
  warnings(object, old) {
    const ofName = old === undefined ? nameWarnings(object.metadata.name, podNamesText) : [];
    const { template } = object.spec;
    if (template === undefined || (old !== undefined && !hasChanged(object, old))) return ofName;
    return [...ofName, ...templateWarnings(template, fieldPath("spec", "template"))];
  },
  generation: hasChanged,
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec.template?.spec),
    formatLabelSelector(spec.selector),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as typeof draft.spec;
      },
      validateUpdate: ({ status }) => collectFaults("status", (fldPath) => checkReplicaCounts(status ?? {}, fldPath)),
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

function checkSpec(spec: appsv1.ReplicaSetSpec, fldPath: ValidationPath, old?: appsv1.ReplicaSetSpec): void {
  checkNonNegative(spec.replicas, fldPath.at("replicas"));
  checkNonNegative(spec.minReadySeconds, fldPath.at("minReadySeconds"));
  checkReplicaSetTemplate(spec, fldPath, templateOptions(old?.template));
}
