// A projected volume: several sources in one folder. Two files may not claim one path.
import type { corev1 } from "@kubeloop/core/api";
import { checkPresent, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkDownwardApiFile, checkKey } from "./check-volume-sources.ts";
import { checkFileMode, checkLocalPath } from "./file-paths.ts";

const shortestTokenSeconds = 600;
const longestTokenSeconds = 2 ** 32;

export interface ProjectedOptions {
  /** For what is stored already. */
  readonly allowsAnyTokenPath: boolean;
}

export function checkProjected(
  volume: corev1.ProjectedVolumeSource,
  place: FaultPlace,
  options: ProjectedOptions,
): void {
  checkFileMode(volume.defaultMode, place.at("defaultMode"));
  const taken = new Set<string>();
  const claim = (file: string | undefined, source: string) => {
    if (isAbsent(file)) return;
    if (taken.has(file)) place.invalid(source, "conflicting duplicate paths");
    taken.add(file);
  };
  for (const [i, source] of (volume.sources ?? []).entries()) {
    const sourcePlace = place.at("sources").item(i);
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    checkKeySource(secret, sourcePlace.at("secret"), claim);
    checkKeySource(configMap, sourcePlace.at("configMap"), claim);
    for (const file of downwardAPI?.items ?? []) {
      checkDownwardApiFile(file, sourcePlace.at("downwardAPI"));
      claim(file.path, file.path);
    }
    if (serviceAccountToken !== undefined) {
      const tokenPlace = sourcePlace.at("serviceAccountToken");
      checkToken(serviceAccountToken, { tokenPlace, volumePlace: place }, options);
    }
    const given = [secret, configMap, downwardAPI, serviceAccountToken].filter((each) => each !== undefined);
    if (given.length > 1) {
      sourcePlace.forbidden("may not specify more than 1 volume type per source");
    }
  }
}

function checkKeySource(
  source: corev1.SecretProjection | corev1.ConfigMapProjection | undefined,
  place: FaultPlace,
  claim: (file: string | undefined, source: string) => void,
): void {
  if (source === undefined) return;
  checkPresent(source.name, place.at("name"));
  for (const [i, item] of (source.items ?? []).entries()) {
    checkKey(item, place.at("items").item(i));
    claim(item.path, source.name ?? "");
  }
}

function checkToken(
  token: corev1.ServiceAccountTokenProjection,
  { tokenPlace, volumePlace }: { readonly tokenPlace: FaultPlace; readonly volumePlace: FaultPlace },
  { allowsAnyTokenPath }: ProjectedOptions,
): void {
  const seconds = token.expirationSeconds ?? 0;
  const secondsPlace = tokenPlace.at("expirationSeconds");
  if (seconds < shortestTokenSeconds) {
    secondsPlace.invalid(seconds, "may not specify a duration less than 10 minutes");
  }
  if (seconds > longestTokenSeconds) {
    secondsPlace.invalid(seconds, "may not specify a duration larger than 2^32 seconds");
  }
  const pathPlace = volumePlace.at("path");
  if (isAbsent(token.path)) pathPlace.required();
  else if (!allowsAnyTokenPath) checkLocalPath(token.path, pathPlace);
}
