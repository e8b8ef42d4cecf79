// What a claim on storage asks for, wherever it stands: claims themselves, and the templates of ephemeral volumes and StatefulSets.
import {
  childPath,
  type corev1,
  type FieldPath,
  itemPath,
  printPath,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "@kubeloop/core/api";
import type { Draft } from "../kind-rules.ts";
import { checkOptionalChoice, checkPresent, isAbsent } from "./checks.ts";
import { checkLabelSelector, type SelectorOptions } from "./labels.ts";
import { checkPositiveQuantity, checkResourceQuantity, isFractional, roundResourceList } from "./quantities.ts";
import type { ValidationPath } from "./validation-path.ts";

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

export function checkClaimSpec(spec: ClaimSpec, fldPath: ValidationPath, options: ClaimSpecOptions = {}): void {
  checkAccessModes(spec, fldPath, options);
  checkStorageRequest(spec, fldPath.at("resources"));
  checkClassName(spec.storageClassName, fldPath.at("storageClassName"));
  checkOptionalChoice(spec.volumeMode, fldPath.at("volumeMode"), volumeModes);
  checkSources(spec, fldPath, options);
  checkClassName(spec.volumeAttributesClassName, fldPath.at("volumeAttributesClassName"));
}

function checkAccessModes(spec: ClaimSpec, fldPath: ValidationPath, options: ClaimSpecOptions): void {
  const modes = spec.accessModes ?? [];
  const modesPath = fldPath.at("accessModes");
  if (modes.length === 0) modesPath.required("at least 1 access mode is required");
  checkLabelSelector(spec.selector, fldPath.at("selector"), options);
  for (const mode of modes) {
    if (!accessModes.includes(mode)) modesPath.notSupported(mode, accessModes);
  }
  const isMixed = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && isMixed) {
    modesPath.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

function checkStorageRequest(spec: ClaimSpec, fldPath: ValidationPath): void {
  const storagePath = fldPath.item("storage");
  const storage = spec.resources?.requests?.["storage"];
  if (storage === undefined) {
    storagePath.required();
    return;
  }
  const before = storagePath.faultCount;
  checkPositiveQuantity(storage, storagePath);
  if (storagePath.faultCount === before) checkResourceQuantity("storage", storage, storagePath);
}

function checkClassName(name: string | undefined, fldPath: ValidationPath): void {
  if (!isAbsent(name)) fldPath.invalidFor(name, validateDns1123Subdomain(name));
}

function checkSources(spec: ClaimSpec, fldPath: ValidationPath, options: ClaimSpecOptions): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) checkSource(dataSource, fldPath.at("dataSource"), options);
  if (dataSourceRef !== undefined) {
    const refPath = fldPath.at("dataSourceRef");
    checkSource(dataSourceRef, refPath, options);
    const { namespace } = dataSourceRef;
    if (!isAbsent(namespace)) {
      refPath.at("namespace").invalidFor(namespace, validateDns1123Label(namespace));
    }
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // The value reported is a path where upstream's is a path too: an empty structure.
  if (!isAbsent(dataSourceRef.namespace)) {
    fldPath.invalid({}, "may not be specified when dataSourceRef.namespace is specified");
  } else if (!isSameSource(dataSource, dataSourceRef)) {
    fldPath.invalid({}, "must match dataSourceRef");
  }
}

interface Source {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

function checkSource(source: Source, fldPath: ValidationPath, options: ClaimSpecOptions): void {
  checkPresent(source.name, fldPath.at("name"));
  checkPresent(source.kind, fldPath.at("kind"));
  const group = source.apiGroup ?? "";
  if (group === "" && source.kind !== "PersistentVolumeClaim") {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    fldPath.invalid(source.kind, why);
  }
  if (group !== "" && options.allowsInvalidSourceGroup !== true) {
    fldPath.at("apiGroup").invalidFor(group, validateDns1123Subdomain(group));
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
