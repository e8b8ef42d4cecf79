// The files that a container finds in its volumes: keys of ConfigMaps and Secrets, alone or projected, and fields of its pod. Volumes follow their objects,
// so this is asked anew for each run. Pure.
//
// Not here: tokens, modes and owners, and files that containers of a pod share in an emptyDir.
import type { corev1 } from "@kubeloop/core/api";
import { type AnyContainer, type ConfigSource, fieldOf, fromBase64, hostnameOf } from "./environment.ts";

export type Files = ReadonlyMap<string, string>;

/** By absolute path. */
export function mountedFiles(pod: corev1.Pod, container: AnyContainer, source: ConfigSource): Files {
  const files = new Map([["/etc/hostname", `${hostnameOf(pod)}\n`]]);
  for (const { name, mountPath, subPath } of container.volumeMounts ?? []) {
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    if (volume === undefined) continue;
    const folder = mountPath.replace(/\/+$/, "");
    for (const [path, text] of filesOf(volume, pod, source)) {
      if (subPath === undefined || subPath === "") files.set(`${folder}/${path}`, text);
      else if (path === subPath) files.set(folder, text);
      else if (path.startsWith(`${subPath}/`)) files.set(`${folder}${path.slice(subPath.length)}`, text);
    }
  }
  return files;
}

type NamedFiles = readonly (readonly [path: string, text: string])[];

function filesOf(volume: corev1.Volume, pod: corev1.Pod, source: ConfigSource): NamedFiles {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return filesOfConfigMap(configMap.name, configMap.items, source);
  if (secret !== undefined) return filesOfSecret(secret.secretName, secret.items, source);
  if (downwardAPI !== undefined) return filesOfPod(downwardAPI.items, pod);
  return (projected?.sources ?? []).flatMap((one) => {
    if (one.configMap !== undefined) return filesOfConfigMap(one.configMap.name, one.configMap.items, source);
    if (one.secret !== undefined) return filesOfSecret(one.secret.name, one.secret.items, source);
    return one.downwardAPI === undefined ? [] : filesOfPod(one.downwardAPI.items, pod);
  });
}

type Items = readonly corev1.KeyToPath[] | undefined;

function filesOfConfigMap(name: string | undefined, items: Items, source: ConfigSource): NamedFiles {
  const { data = {}, binaryData = {} } = source.configMap(name ?? "") ?? {};
  const binary = Object.entries(binaryData).map(([key, value]) => [key, fromBase64(value)] as const);
  return chosen([...Object.entries(data), ...binary], items);
}

function filesOfSecret(name: string | undefined, items: Items, source: ConfigSource): NamedFiles {
  const { data = {} } = source.secret(name ?? "") ?? {};
  const decoded = Object.entries(data).map(([key, value]) => [key, fromBase64(value)] as const);
  return chosen(decoded, items);
}

/** Without a choice all keys are files. */
function chosen(all: NamedFiles, items: Items): NamedFiles {
  if (items === undefined || items.length === 0) return all;
  return items.flatMap(({ key, path }) =>
    all.filter(([name]) => name === key).map(([, text]) => [path, text] as const),
  );
}

function filesOfPod(items: readonly corev1.DownwardAPIVolumeFile[] | undefined, pod: corev1.Pod): NamedFiles {
  return (items ?? []).map(({ path, fieldRef }) => [
    path,
    fieldRef === undefined ? "" : fieldOf(pod, fieldRef.fieldPath),
  ]);
}
