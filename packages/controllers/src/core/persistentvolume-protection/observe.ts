// What the volume protection looks at for one key: the volume, and nothing else. Who uses it stands in its phase.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { persistentVolumes } from "@kubeloop/core/resources";

/** Undefined when there is no such volume (any more). */
export const observe = (key: string, { snapshot }: View): corev1.PersistentVolume | undefined =>
  snapshot.get(persistentVolumes, key);
