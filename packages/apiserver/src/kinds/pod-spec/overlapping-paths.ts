// Files of one volume that lie in each other's way: the same path twice, or a file where another one needs a folder.
import { type corev1, quote } from "@kubeloop/core/api";

interface File {
  readonly path: string;
  /** Empty where the volume has one source. */
  readonly source: string;
}

export function overlapWarnings(volumes: readonly corev1.Volume[]): string[] {
  return volumes.flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume;
    const say = (what: string, overlaps: readonly string[]) =>
      overlaps.map((overlap) => `volume ${quote(name)} (${what}): overlapping paths: ${overlap}`);
    return [
      ...say(`ConfigMap ${quote(configMap?.name ?? "")}`, overlapsIn(filesOf(configMap?.items, ""))),
      ...say(`Secret ${quote(secret?.secretName ?? "")}`, overlapsIn(filesOf(secret?.items, ""))),
      ...say("DownwardAPI", overlapsIn(filesOf(downwardAPI?.items, ""))),
      ...(projected?.sources ?? [])
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${quote(name)} (Projected) has no sources provided`),
      ...say("Projected", overlapsIn((projected?.sources ?? []).flatMap(projectedFiles))),
    ];
  });
}

function filesOf(items: readonly { readonly path: string }[] | undefined, source: string): File[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: corev1.VolumeProjection): File[] {
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name ?? "")}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${quote(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken === undefined ? [] : filesOf([serviceAccountToken], "ServiceAccountToken");
}

/** Each is compared with each. Nobody reads what more files would make. */
const mostFiles = 300;

function overlapsIn(files: readonly File[]): string[] {
  const trimmed = files.slice(0, mostFiles).map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }));
  return trimmed.flatMap((file, i) =>
    trimmed
      .slice(0, i)
      .filter((earlier) => isInTheWay(earlier.path, file.path))
      .map((earlier) => `${printFile(file)} with ${printFile(earlier)}`),
  );
}

function isInTheWay(a: string, b: string): boolean {
  if (a === "" || b === "") return false;
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function printFile({ path, source }: File): string {
  return source === "" ? quote(path) : `${quote(path)} (${source})`;
}
