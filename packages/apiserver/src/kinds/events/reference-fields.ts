// The fields of a reference to an object by which events are found.
import type { corev1 } from "@kubeloop/core/api";

export const referenceNames = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
] as const;

/** Each under its whole path: "involvedObject.kind". */
export function referenceFields(path: string, reference: corev1.ObjectReference): Readonly<Record<string, string>> {
  return Object.fromEntries(referenceNames.map((name) => [`${path}.${name}`, reference[name] ?? ""]));
}
