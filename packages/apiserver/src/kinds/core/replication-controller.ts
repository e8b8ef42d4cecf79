// ReplicationControllers: as many pods of a template as asked for. Deleted, they leave their pods behind unless told otherwise.
import { type corev1, fieldPath, matchesSelector, printSelector, selectorFromLabels } from "@kubeloop/core/api";
import { replicationControllers } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkTemplate, templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { nameWarnings, podNamesText, templateWarnings } from "../pod-spec/warnings.ts";
import { checkNonNegative } from "../shared/checks.ts";
import { formatLabels } from "../shared/labels.ts";
import { generatedSubdomainName } from "../shared/names.ts";
import { printAge } from "../shared/print-age.ts";
import { checkReplicaCounts } from "../shared/replica-counts.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";

type Controller = corev1.ReplicationController;

const hasChanged = (object: Controller, old: Controller) =>
  !isSame(object.spec, old.spec, "io.k8s.api.core.v1.ReplicationControllerSpec");

export const replicationControllerRules: KindRules<Controller> = {
  resource: replicationControllers,
  checkName: generatedSubdomainName,
  defaults(draft) {
    draft.spec ??= {};
    const { spec, metadata } = draft;
    const labels = spec.template?.metadata?.labels;
    if (labels !== undefined) {
      if (isEmpty(spec.selector)) spec.selector = { ...labels };
      if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
    }
    spec.replicas ??= 1;
    if (spec.template !== undefined) setTemplateDefaults(spec.template);
  },
  prepareCreate(draft) {
    const { spec } = draft;
    draft.status = { replicas: 0 };
    if (spec?.template !== undefined) dropDisabledFields(spec.template.spec);
  },
  prepareUpdate({ spec }, old) {
    if (spec?.template !== undefined) dropDisabledFields(spec.template.spec, old.spec?.template?.spec);
  },
  validate: (object) => collectFaults("spec", (fldPath) => checkSpec(object.spec ?? {}, fldPath)),
  validateUpdate: (object, old) => collectFaults("spec", (fldPath) => checkSpec(object.spec ?? {}, fldPath, old.spec)),
  warnings(object, old) {
    const template = object.spec?.template;
    const ofName = old === undefined ? nameWarnings(object.metadata.name, podNamesText) : [];
    if (template === undefined || (old !== undefined && !hasChanged(object, old))) return ofName;
    // Upstream's oddity: after a change it warns about what was there before.
    const warnedOf = old === undefined ? template : (old.spec?.template ?? template);
    return [...ofName, ...templateWarnings(warnedOf, fieldPath("spec", "template"))];
  },
  generation: hasChanged,
  deletion: { propagation: "Orphan" },
  selectableFields: {
    names: ["status.replicas"],
    valuesOf: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
    unknownText: (name) => `field label not supported: ${name}`,
  },
  printRow: ({ metadata, spec, status }, { nowMs }) => [
    metadata.name,
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    printAge(metadata.creationTimestamp, nowMs),
    ...printContainers(spec?.template?.spec),
    formatLabels(spec?.selector),
  ],
  subresources: {
    status: {
      prepareUpdate(draft, old) {
        draft.spec = old.spec as NonNullable<typeof draft.spec>;
      },
      validateUpdate: ({ status }) => collectFaults("status", (fldPath) => checkReplicaCounts(status ?? {}, fldPath)),
    },
  },
  scale: {
    replicasOf: ({ spec }) => spec?.replicas ?? 0,
    statusReplicasOf: ({ status }) => status?.replicas ?? 0,
    selectorOf: ({ spec }) => printSelector(selectorFromLabels(spec?.selector ?? {})),
    setReplicas(draft, replicas) {
      draft.spec = { ...draft.spec, replicas };
    },
  },
};

function checkSpec(
  spec: corev1.ReplicationControllerSpec,
  fldPath: ValidationPath,
  old?: corev1.ReplicationControllerSpec,
): void {
  const { template, selector = {} } = spec;
  checkNonNegative(spec.minReadySeconds, fldPath.at("minReadySeconds"));
  if (isEmpty(selector)) fldPath.at("selector").required();
  if (spec.replicas === undefined) fldPath.at("replicas").required();
  else checkNonNegative(spec.replicas, fldPath.at("replicas"));
  const templatePath = fldPath.at("template");
  if (template === undefined) {
    templatePath.required();
    return;
  }
  const labels = template.metadata?.labels;
  if (!isEmpty(selector) && !matchesSelector(selectorFromLabels(selector), labels ?? {})) {
    const why = "`selector` does not match template `labels`";
    templatePath.at("metadata", "labels").invalid(labels ?? null, why);
  }
  checkTemplate(template, templatePath, templateOptions(old?.template));
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") templatePath.at("spec", "restartPolicy").notSupported(restartPolicy, ["Always"]);
  if (activeDeadlineSeconds !== undefined) {
    const why = "activeDeadlineSeconds in ReplicationController is not Supported";
    templatePath.at("spec", "activeDeadlineSeconds").forbidden(why);
  }
}

function isEmpty(labels: object | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0;
}
