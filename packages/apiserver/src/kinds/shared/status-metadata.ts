// What a write of an object's status may touch beside the status.
import type { KubernetesObject, metav1 } from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";

const description = ["labels", "annotations", "finalizers", "ownerReferences"] as const;
const keptFields = [...description, "selfLink", "deletionTimestamp"] as const;

/** Everything but the status and metadata stays. */
export function keepAllButStatus(draft: Draft<KubernetesObject>, old: KubernetesObject): void {
  const fields = draft as unknown as Record<string, unknown>;
  const oldFields = old as unknown as Readonly<Record<string, unknown>>;
  for (const name of new Set([...Object.keys(fields), ...Object.keys(oldFields)])) {
    if (name === "status" || name === "metadata") continue;
    if (oldFields[name] === undefined) delete fields[name];
    else fields[name] = oldFields[name];
  }
}

/** Labels, annotations, owners and finalizers stay too, and whether it is being deleted. */
export function keepMetadata(metadata: Draft<metav1.ObjectMeta>, old: metav1.ObjectMeta): void {
  keepFields(metadata, old, keptFields);
}

/** Labels, annotations, owners and finalizers stay too; who says that it is being deleted is refused. */
export function keepDescription(metadata: Draft<metav1.ObjectMeta>, old: metav1.ObjectMeta): void {
  keepFields(metadata, old, description);
}

function keepFields(
  metadata: Draft<metav1.ObjectMeta>,
  old: metav1.ObjectMeta,
  names: readonly (typeof keptFields)[number][],
): void {
  for (const name of names) {
    if (old[name] === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: old[name] });
  }
}
