// PodTemplates: a template alone, for whoever makes pods of it.
import { type corev1, fieldPath } from "@kubeloop/core/api";
import { podTemplates } from "@kubeloop/core/resources";
import type { KindRules } from "../kind-rules.ts";
import { checkTemplate, templateOptions } from "../pod-spec/check-template.ts";
import { setTemplateDefaults } from "../pod-spec/defaults.ts";
import { dropDisabledFields } from "../pod-spec/drop-disabled.ts";
import { printContainers } from "../pod-spec/print-template.ts";
import { templateWarnings } from "../pod-spec/warnings.ts";
import { formatLabels } from "../shared/labels.ts";
import { isSame } from "../shared/same.ts";
import { collectFaults } from "../shared/validation-path.ts";

type PodTemplate = corev1.PodTemplate;

const noTemplate: corev1.PodTemplateSpec = { spec: { containers: [] } };
const templateOf = (object: PodTemplate) => object.template ?? noTemplate;
const hasChanged = (object: PodTemplate, old: PodTemplate) =>
  !isSame(object.template, old.template, "io.k8s.api.core.v1.PodTemplateSpec");

export const podTemplateRules: KindRules<PodTemplate> = {
  resource: podTemplates,
  defaults(draft) {
    if (draft.template !== undefined) setTemplateDefaults(draft.template);
  },
  prepareCreate(draft) {
    if (draft.template !== undefined) dropDisabledFields(draft.template.spec);
  },
  prepareUpdate(draft, old) {
    if (draft.template !== undefined) dropDisabledFields(draft.template.spec, templateOf(old).spec);
  },
  validate: (object) =>
    collectFaults("template", (fldPath) => checkTemplate(templateOf(object), fldPath, templateOptions())),
  validateUpdate: (object, old) =>
    collectFaults("template", (fldPath) =>
      checkTemplate(templateOf(object), fldPath, templateOptions(templateOf(old))),
    ),
  warnings: (object, old) =>
    old === undefined || hasChanged(object, old) ? templateWarnings(templateOf(object), fieldPath("template")) : [],
  generation: hasChanged,
  deletion: { answersWithObject: true },
  printRow(object) {
    const { metadata, spec } = templateOf(object);
    return [object.metadata.name, ...printContainers(spec), formatLabels(metadata?.labels)];
  },
};
