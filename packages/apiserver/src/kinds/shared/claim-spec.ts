// What a claim on storage asks for, wherever it stands: claims themselves, and the templates of ephemeral volumes and StatefulSets.
import {
  childPath,
  type corev1,
  type Fault,
  type FieldPath,
  forbiddenFault,
  invalidFault,
  itemPath,
  notSupportedFault,
  printPath,
  requiredFault,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { addInvalid, checkOptionalChoice, checkPresent, isAbsent } from "./checks.ts";
import { checkLabelSelector, type SelectorOptions } from "./labels.ts";
import { checkPositiveQuantity, checkResourceQuantity, isFractional, roundResourceList } from "./quantities.ts";

export type ClaimSpec = corev1.PersistentVolumeClaimSpec;

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];

export interface ClaimSpecOptions extends SelectorOptions {
  /** For what is stored already. */
  readonly allowsInvalidSourceGroup?: boolean;
}

export function setClaimSpecDefaults(spec: Draft<ClaimSpec>): void {
  spec.volumeMode ??= "Filesystem";
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
}

export function checkClaimSpec(
  spec: ClaimSpec,
  path: FieldPath,
  faults: Fault[],
  options: ClaimSpecOptions = {},
): void {
  checkAccessModes(spec, path, faults, options);
  checkStorageRequest(spec, childPath(path, "resources"), faults);
  checkClassName(spec.storageClassName, childPath(path, "storageClassName"), faults);
  checkOptionalChoice(spec.volumeMode, volumeModes, childPath(path, "volumeMode"), faults);
  checkSources(spec, path, faults, options);
  checkClassName(spec.volumeAttributesClassName, childPath(path, "volumeAttributesClassName"), faults);
}

function checkAccessModes(spec: ClaimSpec, path: FieldPath, faults: Fault[], options: ClaimSpecOptions): void {
  const modes = spec.accessModes ?? [];
  const modesPath = childPath(path, "accessModes");
  if (modes.length === 0) faults.push(requiredFault(modesPath, "at least 1 access mode is required"));
  checkLabelSelector(spec.selector, childPath(path, "selector"), faults, options);
  for (const mode of modes) {
    if (!accessModes.includes(mode)) faults.push(notSupportedFault(modesPath, mode, accessModes));
  }
  const isMixed = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && isMixed) {
    faults.push(forbiddenFault(modesPath, "may not use ReadWriteOncePod with other access modes"));
  }
}

function checkStorageRequest(spec: ClaimSpec, path: FieldPath, faults: Fault[]): void {
  const storagePath = itemPath(path, "storage");
  const storage = spec.resources?.requests?.["storage"];
  if (storage === undefined) {
    faults.push(requiredFault(storagePath));
    return;
  }
  const before = faults.length;
  checkPositiveQuantity(storage, storagePath, faults);
  if (faults.length === before) checkResourceQuantity("storage", storage, storagePath, faults);
}

function checkClassName(name: string | undefined, path: FieldPath, faults: Fault[]): void {
  if (!isAbsent(name)) addInvalid(faults, path, name, validateDns1123Subdomain(name));
}

function checkSources(spec: ClaimSpec, path: FieldPath, faults: Fault[], options: ClaimSpecOptions): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) checkSource(dataSource, childPath(path, "dataSource"), faults, options);
  if (dataSourceRef !== undefined) {
    const refPath = childPath(path, "dataSourceRef");
    checkSource(dataSourceRef, refPath, faults, options);
    const { namespace } = dataSourceRef;
    if (!isAbsent(namespace)) {
      addInvalid(faults, childPath(refPath, "namespace"), namespace, validateDns1123Label(namespace));
    }
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // The value told is a path where upstream's is a path too: an empty structure.
  if (!isAbsent(dataSourceRef.namespace)) {
    faults.push(invalidFault(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (!isSameSource(dataSource, dataSourceRef)) {
    faults.push(invalidFault(path, {}, "must match dataSourceRef"));
  }
}

interface Source {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

function checkSource(source: Source, path: FieldPath, faults: Fault[], options: ClaimSpecOptions): void {
  checkPresent(source.name, childPath(path, "name"), faults);
  checkPresent(source.kind, childPath(path, "kind"), faults);
  const group = source.apiGroup ?? "";
  if (group === "" && source.kind !== "PersistentVolumeClaim") {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    faults.push(invalidFault(path, source.kind, why));
  }
  if (group !== "" && options.allowsInvalidSourceGroup !== true) {
    addInvalid(faults, childPath(path, "apiGroup"), group, validateDns1123Subdomain(group));
  }
}

function isSameSource(a: Source, b: Source): boolean {
  return a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;
}

/** Storage is counted in bytes; a fraction of one is accepted and makes no sense. */
export function claimSpecWarnings(spec: ClaimSpec, path: FieldPath): string[] {
  return (["requests", "limits"] as const).flatMap((list) => {
    const storage = spec.resources?.[list]?.["storage"];
    if (storage === undefined || !isFractional(storage)) return [];
    const storagePath = itemPath(childPath(path, "resources", list), "storage");
    return [`${printPath(storagePath)}: fractional byte value "${storage}" is invalid, must be an integer`];
  });
}
