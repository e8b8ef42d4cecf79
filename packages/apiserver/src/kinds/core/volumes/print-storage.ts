// How tables show access modes and classes of storage.
import type { metav1 } from "@kubeloop/core/api";

/** Where objects named their class before there was a field for it. */
export const oldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

const shortModes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

export const printAccessModes = (modes: readonly string[] = []): string =>
  shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");

/** Old objects name their class in an annotation. */
export const storageClassOf = (
  { annotations }: metav1.ObjectMeta,
  { storageClassName = "" }: { readonly storageClassName?: string },
): string => annotations?.[oldClassAnnotation] ?? storageClassName;
