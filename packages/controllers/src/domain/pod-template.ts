// Whether two pod templates are the same one, as upstream decides it: equal in meaning ("1000m" and "1", an absent list and an empty one), the
// label pod-template-hash left aside. So a set that another version or another manager made is found again, whatever its name says.
import { type corev1, type ObjectSchema, schemaNamed, semanticEqual } from "@kubeloop/core/api";

export const podTemplateHashLabel = "pod-template-hash";

export function isSameTemplate(a: corev1.PodTemplateSpec, b: corev1.PodTemplateSpec): boolean {
  if (a === b) return true;
  templateSchema ??= schemaNamed("io.k8s.api.core.v1.PodTemplateSpec");
  return semanticEqual(withoutHash(a), withoutHash(b), templateSchema);
}

let templateSchema: ObjectSchema | undefined;

/** The template as its owner has it; the same object if it has no such label. */
export function withoutHash(template: corev1.PodTemplateSpec): corev1.PodTemplateSpec {
  const labels = template.metadata?.labels;
  if (labels?.[podTemplateHashLabel] === undefined) return template;
  const { [podTemplateHashLabel]: _hash, ...others } = labels;
  return { ...template, metadata: { ...template.metadata, labels: others } };
}

/** The template as its sets have it. */
export function withHash(template: corev1.PodTemplateSpec, hash: string): corev1.PodTemplateSpec {
  const labels = { ...template.metadata?.labels, [podTemplateHashLabel]: hash };
  return { ...template, metadata: { ...template.metadata, labels } };
}
