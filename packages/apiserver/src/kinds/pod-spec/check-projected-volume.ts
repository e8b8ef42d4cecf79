// A projected volume: several sources in one folder. Two files may not claim one path.
import type { corev1 } from "@kubeloop/core/api";
import { checkPresent, isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
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
  fldPath: ValidationPath,
  options: ProjectedOptions,
): void {
  checkFileMode(volume.defaultMode, fldPath.at("defaultMode"));
  const taken = new Set<string>();
  const claim = (file: string | undefined, source: string) => {
    if (isAbsent(file)) return;
    if (taken.has(file)) fldPath.invalid(source, "conflicting duplicate paths");
    taken.add(file);
  };
  for (const [i, source] of (volume.sources ?? []).entries()) {
    const sourcePath = fldPath.at("sources").item(i);
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    checkKeySource(secret, sourcePath.at("secret"), claim);
    checkKeySource(configMap, sourcePath.at("configMap"), claim);
    for (const file of downwardAPI?.items ?? []) {
      checkDownwardApiFile(file, sourcePath.at("downwardAPI"));
      claim(file.path, file.path);
    }
    if (serviceAccountToken !== undefined) {
      const tokenPath = sourcePath.at("serviceAccountToken");
      checkToken(serviceAccountToken, { tokenPath, volumePath: fldPath }, options);
    }
    const given = [secret, configMap, downwardAPI, serviceAccountToken].filter((each) => each !== undefined);
    if (given.length > 1) {
      sourcePath.forbidden("may not specify more than 1 volume type per source");
    }
  }
}

function checkKeySource(
  source: corev1.SecretProjection | corev1.ConfigMapProjection | undefined,
  fldPath: ValidationPath,
  claim: (file: string | undefined, source: string) => void,
): void {
  if (source === undefined) return;
  checkPresent(source.name, fldPath.at("name"));
  for (const [i, item] of (source.items ?? []).entries()) {
    checkKey(item, fldPath.at("items").item(i));
    claim(item.path, source.name ?? "");
  }
}

function checkToken(
  token: corev1.ServiceAccountTokenProjection,
  { tokenPath, volumePath }: { readonly tokenPath: ValidationPath; readonly volumePath: ValidationPath },
  { allowsAnyTokenPath }: ProjectedOptions,
): void {
  const seconds = token.expirationSeconds ?? 0;
  const secondsPath = tokenPath.at("expirationSeconds");
  if (seconds < shortestTokenSeconds) {
    secondsPath.invalid(seconds, "may not specify a duration less than 10 minutes");
  }
  if (seconds > longestTokenSeconds) {
    secondsPath.invalid(seconds, "may not specify a duration larger than 2^32 seconds");
  }
  const pathFldPath = volumePath.at("path");
  if (isAbsent(token.path)) pathFldPath.required();
  else if (!allowsAnyTokenPath) checkLocalPath(token.path, pathFldPath);
}
