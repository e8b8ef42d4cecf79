// All containers of a pod's spec with their field paths: init containers first, ephemeral ones last.
import type { corev1 } from "@kubeloop/core/api";
import type { ValidationPath } from "../shared/validation-path.ts";

export interface PlacedContainer {
  readonly container: corev1.Container;
  readonly fldPath: ValidationPath;
}

/** The fields that hold containers. Ephemeral containers have all a container has, and the name of their target. */
export const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

export function placedContainers(spec: corev1.PodSpec, fldPath: ValidationPath): PlacedContainer[] {
  return containerLists.flatMap((field) => {
    const listPath = fldPath.at(field);
    return (spec[field] ?? []).map((container, i) => ({ container, fldPath: listPath.item(i) }));
  });
}

export function allContainers(spec: corev1.PodSpec): readonly corev1.Container[] {
  return containerLists.flatMap((field) => spec[field] ?? []);
}

/** An init container that stays beside those after it. */
export function isSidecar(container: corev1.Container): boolean {
  return container.restartPolicy === "Always";
}
