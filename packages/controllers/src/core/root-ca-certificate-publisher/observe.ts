// What the root CA publisher looks at for one key: the namespace and its ConfigMap.
import { type corev1, objectKeyOf } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { configMaps, namespaces } from "@kubeloop/core/resources";
import { configMapName } from "./decide.ts";

export interface Observed {
  readonly namespace: corev1.Namespace;
  readonly published: corev1.ConfigMap | undefined;
}

/** Undefined when there is no such namespace (any more). */
export function observe(key: string, { snapshot }: View): Observed | undefined {
  const namespace = snapshot.get(namespaces, key);
  if (namespace === undefined) return undefined;
  return { namespace, published: snapshot.get(configMaps, objectKeyOf(key, configMapName)) };
}
