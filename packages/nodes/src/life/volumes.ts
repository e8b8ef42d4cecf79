// Which volumes of a pod cannot be mounted because a ConfigMap or Secret is missing, in the kubelet's words, and which objects a pod refers to. Pure.
//
// Not here: claims, and all other kinds of volumes; they are always there.
import type { corev1 } from "@kubeloop/core/api";
import { type ConfigKind, type ConfigSource, notFound } from "../script/environment.ts";
import { specContainers } from "./pod-life.ts";

export interface MountFault {
  readonly volume: string;
  readonly message: string;
}

export function findMountFaults({ spec }: corev1.Pod, source: ConfigSource): readonly MountFault[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    const message = volumeSources(volume)
      .map((one) => findFault(one, source))
      .find((fault) => fault !== undefined);
    return message === undefined ? [] : [{ volume: volume.name, message }];
  });
}

interface VolumeSource {
  readonly kind: ConfigKind;
  readonly name: string;
  readonly isOptional: boolean;
  readonly keys: readonly string[];
}

function volumeSources({ configMap, secret, projected }: corev1.Volume): readonly VolumeSource[] {
  const found: VolumeSource[] = [];
  const add = (
    kind: ConfigKind,
    name: string | undefined,
    { optional, items = [] }: Pick<corev1.ConfigMapProjection, "optional" | "items">,
  ) => found.push({ kind, name: name ?? "", isOptional: optional === true, keys: items.map(({ key }) => key) });
  if (configMap !== undefined) add("configmap", configMap.name, configMap);
  if (secret !== undefined) add("secret", secret.secretName, secret);
  for (const source of projected?.sources ?? []) {
    if (source.configMap !== undefined) add("configmap", source.configMap.name, source.configMap);
    if (source.secret !== undefined) add("secret", source.secret.name, source.secret);
  }
  return found;
}

function findFault({ kind, name, isOptional, keys }: VolumeSource, source: ConfigSource): string | undefined {
  if (isOptional) return undefined;
  const present = kind === "configmap" ? keysOfConfigMap(source.configMap(name)) : keysOfSecret(source.secret(name));
  if (present === undefined) return notFound(kind, name);
  const missing = keys.find((key) => !present.includes(key));
  if (missing === undefined) return undefined;
  return kind === "configmap"
    ? `configmap references non-existent config key: ${missing}`
    : `references non-existent secret key: ${missing}`;
}

const keysOfConfigMap = (map: corev1.ConfigMap | undefined) =>
  map === undefined ? undefined : [...Object.keys(map.data ?? {}), ...Object.keys(map.binaryData ?? {})];
const keysOfSecret = (secret: corev1.Secret | undefined) =>
  secret === undefined ? undefined : Object.keys(secret.data ?? {});

export interface ConfigReference {
  readonly kind: ConfigKind;
  readonly name: string;
}

/** The ConfigMaps and Secrets that a pod names; one may come more than once. */
export function configReferences(pod: corev1.Pod): readonly ConfigReference[] {
  const ofVolumes = (pod.spec?.volumes ?? []).flatMap(volumeSources);
  const ofContainers = specContainers(pod).flatMap(({ container: { env = [], envFrom = [] } }) => [
    ...env.flatMap(({ valueFrom }) => toReferences(valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef)),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => toReferences(configMapRef, secretRef)),
  ]);
  return [...ofVolumes, ...ofContainers];
}

interface Named {
  readonly name?: string;
}

function toReferences(configMap: Named | undefined, secret: Named | undefined): readonly ConfigReference[] {
  return [
    ...(configMap === undefined ? [] : [{ kind: "configmap" as const, name: configMap.name ?? "" }]),
    ...(secret === undefined ? [] : [{ kind: "secret" as const, name: secret.name ?? "" }]),
  ];
}
