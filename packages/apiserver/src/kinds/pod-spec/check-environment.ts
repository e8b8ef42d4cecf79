// A container's environment: variables, and whole ConfigMaps and Secrets of them.
import { asPrefix, type corev1, validateConfigMapKey, validateDns1123Subdomain } from "@kubeloop/core/api";
import { checkDnsLabel, checkDnsSubdomain, isAbsent } from "../shared/checks.ts";
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkFieldReference, checkResourceReference, environmentFields } from "./field-references.ts";
import { checkNoBacksteps } from "./file-paths.ts";

const tooManyText = "may not have more than one field specified at a time";
const variableSources =
  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

export function checkEnvironment(variables: readonly corev1.EnvVar[], fldPath: ValidationPath): void {
  for (const [i, variable] of variables.entries()) {
    const variablePath = fldPath.item(i);
    checkRequiredVariableName(variable.name, variablePath.at("name"));
    if (variable.valueFrom !== undefined) {
      checkValueFrom(variable.valueFrom, variablePath.at("valueFrom"), variable.value);
    }
  }
}

export function checkEnvironmentFrom(sources: readonly corev1.EnvFromSource[], fldPath: ValidationPath): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const sourcePath = fldPath.item(i);
    if (!isAbsent(prefix)) checkVariableName(prefix, sourcePath.at("prefix"));
    if (configMapRef !== undefined) checkSourceName(configMapRef.name, sourcePath.at("configMapRef"));
    if (secretRef !== undefined) checkSourceName(secretRef.name, sourcePath.at("secretRef"));
    if (configMapRef === undefined && secretRef === undefined) {
      fldPath.invalid("", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      fldPath.invalid("", tooManyText);
    }
  }
}

function checkRequiredVariableName(name: string, fldPath: ValidationPath): void {
  if (isAbsent(name)) fldPath.required();
  else checkVariableName(name, fldPath);
}

/** Anything printable but "=", as operating systems have it. */
function checkVariableName(name: string, fldPath: ValidationPath): void {
  if (/^[ -<>-~]+$/.test(name)) return;
  const why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  fldPath.invalid(name, why);
}

function checkValueFrom(source: corev1.EnvVarSource, fldPath: ValidationPath, value: string | undefined): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef !== undefined) checkFieldReference(fieldRef, fldPath.at("fieldRef"), environmentFields);
  if (resourceFieldRef !== undefined) {
    const options = { needsContainer: false };
    checkResourceReference(resourceFieldRef, fldPath.at("resourceFieldRef"), options);
  }
  if (configMapKeyRef !== undefined) checkKeyReference(configMapKeyRef, fldPath.at("configMapKeyRef"));
  if (secretKeyRef !== undefined) checkKeyReference(secretKeyRef, fldPath.at("secretKeyRef"));
  if (fileKeyRef !== undefined) checkFileReference(fileKeyRef, fldPath.at("fileKeyRef"));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const given = sources.filter((each) => each !== undefined).length;
  if (given === 0) fldPath.invalid("", variableSources);
  else if (!isAbsent(value)) fldPath.invalid("", "may not be specified when `value` is not empty");
  else if (given > 1) fldPath.invalid("", tooManyText);
}

interface KeyReference {
  readonly name?: string;
  readonly key: string;
}

function checkKeyReference({ name = "", key }: KeyReference, fldPath: ValidationPath): void {
  checkDnsSubdomain(name, fldPath.at("name"));
  const keyPath = fldPath.at("key");
  if (isAbsent(key)) keyPath.required();
  else keyPath.invalidFor(key, validateConfigMapKey(key));
}

function checkFileReference({ key, volumeName, path: file }: corev1.FileKeySelector, fldPath: ValidationPath): void {
  checkRequiredVariableName(key, fldPath.at("key"));
  const volumePath = fldPath.at("volumeName");
  if (isAbsent(volumeName)) volumePath.required();
  else checkDnsLabel(volumeName, volumePath);
  const filePath = fldPath.at("path");
  if (isAbsent(file)) filePath.required();
  else checkNoBacksteps(file, filePath);
}

function checkSourceName(name: string | undefined, fldPath: ValidationPath): void {
  const namePath = fldPath.at("name");
  if (isAbsent(name)) namePath.required();
  else namePath.invalidFor(name, asPrefix(validateDns1123Subdomain)(name));
}
