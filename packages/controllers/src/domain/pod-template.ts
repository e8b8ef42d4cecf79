// Whether two pod templates are the same one, as upstream decides it: equal in meaning ("1000m" and "1", an absent list and an empty one), the
// label pod-template-hash left aside. So a set that another version or another manager made is found again, whatever its name says.
import { type corev1, type ObjectSchema, schemaNamed, semanticEqual } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";

export const podTemplateHashLabel = "pod-template-hash";

export function isSameTemplate(a: corev1.PodTemplateSpec, b: corev1.PodTemplateSpec): boolean {
  if (a === b) return true;
  // Almost always another template has another image, and the same one is equal to the letter: both are quickly seen.
  if (!haveSameImages(a, b)) return false;
  const [one, other] = [withoutHash(a), withoutHash(b)];
  if (deepEqual(one, other)) return true;
  templateSchema ??= schemaNamed("io.k8s.api.core.v1.PodTemplateSpec");
  return semanticEqual(one, other, templateSchema);
}

let templateSchema: ObjectSchema | undefined;

function haveSameImages(a: corev1.PodTemplateSpec, b: corev1.PodTemplateSpec): boolean {
  const [ours, theirs] = [a.spec?.containers ?? [], b.spec?.containers ?? []];
  return ours.length === theirs.length && ours.every(({ image = "" }, i) => image === (theirs[i]?.image ?? ""));
}

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
