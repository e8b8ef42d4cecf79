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
import type { FaultPlace } from "./fault-place.ts";
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

export function checkClaimSpec(spec: ClaimSpec, place: FaultPlace, options: ClaimSpecOptions = {}): void {
  checkAccessModes(spec, place, options);
  checkStorageRequest(spec, place.at("resources"));
  checkClassName(spec.storageClassName, place.at("storageClassName"));
  checkOptionalChoice(spec.volumeMode, place.at("volumeMode"), volumeModes);
  checkSources(spec, place, options);
  checkClassName(spec.volumeAttributesClassName, place.at("volumeAttributesClassName"));
}

function checkAccessModes(spec: ClaimSpec, place: FaultPlace, options: ClaimSpecOptions): void {
  const modes = spec.accessModes ?? [];
  const modesPlace = place.at("accessModes");
  if (modes.length === 0) modesPlace.required("at least 1 access mode is required");
  checkLabelSelector(spec.selector, place.at("selector"), options);
  for (const mode of modes) {
    if (!accessModes.includes(mode)) modesPlace.notSupported(mode, accessModes);
  }
  const isMixed = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && isMixed) {
    modesPlace.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

function checkStorageRequest(spec: ClaimSpec, place: FaultPlace): void {
  const storagePlace = place.item("storage");
  const storage = spec.resources?.requests?.["storage"];
  if (storage === undefined) {
    storagePlace.required();
    return;
  }
  const before = storagePlace.faultCount;
  checkPositiveQuantity(storage, storagePlace);
  if (storagePlace.faultCount === before) checkResourceQuantity("storage", storage, storagePlace);
}

function checkClassName(name: string | undefined, place: FaultPlace): void {
  if (!isAbsent(name)) place.invalidFor(name, validateDns1123Subdomain(name));
}

function checkSources(spec: ClaimSpec, place: FaultPlace, options: ClaimSpecOptions): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) checkSource(dataSource, place.at("dataSource"), options);
  if (dataSourceRef !== undefined) {
    const refPlace = place.at("dataSourceRef");
    checkSource(dataSourceRef, refPlace, options);
    const { namespace } = dataSourceRef;
    if (!isAbsent(namespace)) {
      refPlace.at("namespace").invalidFor(namespace, validateDns1123Label(namespace));
    }
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // The value told is a path where upstream's is a path too: an empty structure.
  if (!isAbsent(dataSourceRef.namespace)) {
    place.invalid({}, "may not be specified when dataSourceRef.namespace is specified");
  } else if (!isSameSource(dataSource, dataSourceRef)) {
    place.invalid({}, "must match dataSourceRef");
  }
}

interface Source {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

function checkSource(source: Source, place: FaultPlace, options: ClaimSpecOptions): void {
  checkPresent(source.name, place.at("name"));
  checkPresent(source.kind, place.at("kind"));
  const group = source.apiGroup ?? "";
  if (group === "" && source.kind !== "PersistentVolumeClaim") {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    place.invalid(source.kind, why);
  }
  if (group !== "" && options.allowsInvalidSourceGroup !== true) {
    place.at("apiGroup").invalidFor(group, validateDns1123Subdomain(group));
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
