// What must hold of every object's metadata, whatever its kind: on creation, and from one version to the next.
import {
  asPrefix,
  childPath,
  type Fault,
  type FieldPath,
  fieldPath,
  forbiddenFault,
  invalidFault,
  itemPath,
  type metav1,
  parseGroupVersion,
  printGroupVersionKind,
  requiredFault,
  tooLongFault,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validateQualifiedName,
} from "@kubeloop/core/api";
import type { NameCheck } from "../kinds/kind-rules.ts";

type Metadata = metav1.ObjectMeta;

const metadata = fieldPath("metadata");
const largestAnnotations = 256 * 1024;

export const subdomainName: NameCheck = (name, isPrefix) =>
  isPrefix ? asPrefix(validateDns1123Subdomain)(name) : validateDns1123Subdomain(name);

/** Whatever a path can hold: for kinds without a rule of their own, and for updates, whose names were checked before. */
export const pathName: NameCheck = (name, isPrefix) =>
  isPrefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name);

interface Scope {
  readonly namespaced: boolean;
}

/** Of a new object, whose name has been generated if that was asked for. */
export function newMetadataFaults(
  meta: Metadata,
  checkName: NameCheck,
  { namespaced }: Scope,
  carried = carriedFaults(meta),
): Fault[] {
  const faults: Fault[] = [];
  const { generateName = "", name = "", namespace = "" } = meta;
  if (generateName !== "") {
    const path = childPath(metadata, "generateName");
    for (const why of checkName(generateName, true)) faults.push(invalidFault(path, generateName, why));
  }
  const namePath = childPath(metadata, "name");
  if (name === "") faults.push(requiredFault(namePath, "name or generateName is required"));
  else for (const why of checkName(name, false)) faults.push(invalidFault(namePath, name, why));
  const namespacePath = childPath(metadata, "namespace");
  if (!namespaced) {
    if (namespace !== "") faults.push(forbiddenFault(namespacePath, "not allowed on this type"));
  } else if (namespace === "") faults.push(requiredFault(namespacePath));
  else for (const why of validateDns1123Label(namespace)) faults.push(invalidFault(namespacePath, namespace, why));
  if ((meta.generation ?? 0) < 0) {
    const why = "must be greater than or equal to 0";
    faults.push(invalidFault(childPath(metadata, "generation"), meta.generation, why));
  }
  return [...faults, ...carried, ...finalizerFaults(meta.finalizers ?? [], childPath(metadata, "finalizers"))];
}

/** Of what may be changed at any time, and is looked at each time. */
function carriedFaults({ labels, annotations, ownerReferences }: Metadata): readonly Fault[] {
  return [
    ...labelFaults(labels, childPath(metadata, "labels")),
    ...annotationFaults(annotations, childPath(metadata, "annotations")),
    ...ownerFaults(ownerReferences ?? [], childPath(metadata, "ownerReferences")),
  ];
}

export interface ChangeCheck extends Scope {
  readonly checkName: NameCheck;
  readonly byItsKind: "whole" | "passed over" | undefined;
}

/** From one version to the next. Faults are told as often as upstream finds them: twice for all kinds, and as its own rules look. */
export function changedMetadataFaults(meta: Metadata, old: Metadata, check: ChangeCheck): Fault[] {
  const carried = carriedFaults(meta);
  const changed = [...changeFaults(meta, old), ...carried];
  const forAll = [...newMetadataFaults(meta, pathName, check, carried), ...changed];
  if (forAll.length === 0 || check.byItsKind === "passed over") return forAll;
  const asNew = check.byItsKind === "whole" ? newMetadataFaults(meta, check.checkName, check, carried) : [];
  return [...forAll, ...changed, ...asNew];
}

function changeFaults(meta: Metadata, old: Metadata): Fault[] {
  const faults: Fault[] = [];
  const path = (name: string) => childPath(metadata, name);
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers);
    const added = (meta.finalizers ?? []).filter((each) => !known.has(each)).toSorted();
    if (added.length > 0) {
      const names = added.map((each) => JSON.stringify(each)).join(", ");
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
      faults.push(forbiddenFault(path("finalizers"), why));
    }
  }
  if ((meta.resourceVersion ?? "") === "") {
    faults.push(invalidFault(path("resourceVersion"), "", "must be specified for an update"));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    faults.push(invalidFault(path("generation"), meta.generation ?? 0, "must not be decremented"));
  }
  const fixed = [
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
  ] as const;
  for (const field of fixed) {
    if (meta[field] === old[field]) continue;
    faults.push(invalidFault(path(field), meta[field] ?? emptyOf(field), "field is immutable"));
  }
  return faults;
}

const emptyOf = (field: string) => (field.endsWith("Timestamp") || field.endsWith("Seconds") ? null : "");

export function labelFaults(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): Fault[] {
  const faults: Fault[] = [];
  for (const name in labels) {
    const value = labels[name] as string;
    for (const why of validateQualifiedName(name)) faults.push(invalidFault(path, name, why));
    for (const why of validateLabelValue(value)) faults.push(invalidFault(path, value, why));
  }
  return faults;
}

function annotationFaults(annotations: Readonly<Record<string, string>> | undefined, path: FieldPath): Fault[] {
  let size = 0;
  const faults: Fault[] = [];
  for (const name in annotations) {
    size += Buffer.byteLength(name) + Buffer.byteLength(annotations[name] as string);
    for (const why of validateQualifiedName(name.toLowerCase())) faults.push(invalidFault(path, name, why));
  }
  if (size > largestAnnotations) faults.push(tooLongFault(path, largestAnnotations));
  return faults;
}

function ownerFaults(owners: readonly metav1.OwnerReference[], path: FieldPath): Fault[] {
  const faults: Fault[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    const { group, version } = versionOf(owner.apiVersion);
    if (version === "") {
      faults.push(invalidFault(childPath(path, "apiVersion"), owner.apiVersion, "version must not be empty"));
    }
    for (const field of ["kind", "name", "uid"] as const) {
      if ((owner[field] ?? "") === "") faults.push(invalidFault(childPath(path, field), "", "must not be empty"));
    }
    if (group === "" && version === "v1" && owner.kind === "Event") {
      const kind = printGroupVersionKind({ group, version, kind: owner.kind });
      faults.push(invalidFault(path, owner, `${kind} is disallowed from being an owner`));
    }
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller === undefined) {
      controller = name;
      continue;
    }
    const both = `${controller} and ${name}`;
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${both}`;
    faults.push(invalidFault(path, owners, why));
  }
  return faults;
}

function versionOf(apiVersion: string | undefined): { readonly group: string; readonly version: string } {
  try {
    return parseGroupVersion(apiVersion ?? "");
  } catch {
    return { group: "", version: "" };
  }
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function finalizerFaults(finalizers: readonly string[], path: FieldPath): Fault[] {
  const faults = finalizers.flatMap((each) => validateQualifiedName(each).map((why) => invalidFault(path, each, why)));
  for (const [i, each] of finalizers.entries()) {
    if (each.includes("/") || standardFinalizers.has(each)) continue;
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    faults.push(invalidFault(itemPath(path, i), each, why));
  }
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return faults;
  const why = "finalizer orphan and foregroundDeletion cannot be both set";
  return [...faults, invalidFault(path, finalizers, why)];
}

/** Only the first of owner references that say the same; whether any were dropped. */
export function dedupeOwners(owners: readonly metav1.OwnerReference[]): readonly metav1.OwnerReference[] {
  const seen = new Set<string>();
  const kept = owners.filter((owner) => {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const said = JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);
    const isNew = !seen.has(said);
    seen.add(said);
    return isNew;
  });
  return kept.length === owners.length ? owners : kept;
}
