// A container's environment: variables, and whole ConfigMaps and Secrets of them.
import { asPrefix, type corev1, validateConfigMapKey, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkDnsLabel, checkDnsSubdomain, isAbsent } from "../shared/checks.ts";
import type { FaultPlace } from "../shared/fault-place.ts";
import { checkFieldReference, checkResourceReference, environmentFields } from "./field-references.ts";
import { checkNoBacksteps } from "./file-paths.ts";

const tooManyText = "may not have more than one field specified at a time";
const variableSources =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

export function checkEnvironment(variables: readonly corev1.EnvVar[], place: FaultPlace): void {
  for (const [i, variable] of variables.entries()) {
    const variablePlace = place.item(i);
    checkRequiredVariableName(variable.name, variablePlace.at("name"));
    if (variable.valueFrom !== undefined) {
      checkValueFrom(variable.valueFrom, variablePlace.at("valueFrom"), variable.value);
    }
  }
}

export function checkEnvironmentFrom(sources: readonly corev1.EnvFromSource[], place: FaultPlace): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const sourcePlace = place.item(i);
    if (!isAbsent(prefix)) checkVariableName(prefix, sourcePlace.at("prefix"));
    if (configMapRef !== undefined) checkSourceName(configMapRef.name, sourcePlace.at("configMapRef"));
    if (secretRef !== undefined) checkSourceName(secretRef.name, sourcePlace.at("secretRef"));
    if (configMapRef === undefined && secretRef === undefined) {
      place.invalid("", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      place.invalid("", tooManyText);
    }
  }
}

function checkRequiredVariableName(name: string, place: FaultPlace): void {
  if (isAbsent(name)) place.required();
  else checkVariableName(name, place);
}

/** Anything printable but "=", as operating systems have it. */
function checkVariableName(name: string, place: FaultPlace): void {
  if (/^[ -<>-~]+$/.test(name)) return;
  const why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  place.invalid(name, why);
}

function checkValueFrom(source: corev1.EnvVarSource, place: FaultPlace, value: string | undefined): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) checkFieldReference(fieldRef, place.at("fieldRef"), environmentFields);
  if (resourceFieldRef !== undefined) {
    const options = { needsContainer: false };
    checkResourceReference(resourceFieldRef, place.at("resourceFieldRef"), options);
  }
  if (configMapKeyRef !== undefined) checkKeyReference(configMapKeyRef, place.at("configMapKeyRef"));
  if (secretKeyRef !== undefined) checkKeyReference(secretKeyRef, place.at("secretKeyRef"));
  if (fileKeyRef !== undefined) checkFileReference(fileKeyRef, place.at("fileKeyRef"));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const given = sources.filter((each) => each !== undefined).length;
  if (given === 0) place.invalid("", variableSources);
  else if (!isAbsent(value)) place.invalid("", "may not be specified when `value` is not empty");
  else if (given > 1) place.invalid("", tooManyText);
}

interface KeyReference {
  readonly name?: string;
  readonly key: string;
}

function checkKeyReference({ name = "", key }: KeyReference, place: FaultPlace): void {
  checkDnsSubdomain(name, place.at("name"));
  const keyPlace = place.at("key");
  if (isAbsent(key)) keyPlace.required();
  else keyPlace.invalidFor(key, validateConfigMapKey(key));
}

function checkFileReference({ key, volumeName, path: file }: corev1.FileKeySelector, place: FaultPlace): void {
  checkRequiredVariableName(key, place.at("key"));
  const volumePlace = place.at("volumeName");
  if (isAbsent(volumeName)) volumePlace.required();
  else checkDnsLabel(volumeName, volumePlace);
  const filePlace = place.at("path");
  if (isAbsent(file)) filePlace.required();
  else checkNoBacksteps(file, filePlace);
}

function checkSourceName(name: string | undefined, place: FaultPlace): void {
  const namePlace = place.at("name");
  if (isAbsent(name)) namePlace.required();
  else namePlace.invalidFor(name, asPrefix(validateDns1123Subdomain)(name));
}
