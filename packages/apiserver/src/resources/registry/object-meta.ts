// What must hold of every object's metadata, whatever its kind: on creation, and from one version to the next.
import {
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
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validateQualifiedName,
} from "@kubeloop/core/api";
import type { MetadataLook, NameCheck } from "../../kinds/kind-rules.ts";

type Metadata = metav1.ObjectMeta;

const metadata = fieldPath("metadata");
const largestAnnotations = 256 * 1024;

/** Whatever a path can hold: for kinds without a rule of their own, and for updates, whose names were checked before. */
export const pathName: NameCheck = (name, isPrefix) =>
  isPrefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name);

/** How somebody looks at metadata: everybody's rules, or those of a kind. */
export interface MetadataCheck {
  readonly namespaced: boolean;
  readonly checkName: NameCheck;
  readonly finalizerNames: "any" | "qualified";
}

/** What is asked of all kinds. */
const asksEverybody = ({ namespaced }: MetadataCheck): MetadataCheck => ({
  namespaced,
  checkName: pathName,
  finalizerNames: "any",
});

/** By whose rules. */
export interface MetadataFaults {
  readonly byItsKind: Fault[];
  readonly byEverybody: Fault[];
}

/** Of a new object, whose name has been generated if that was asked for. */
export function newMetadataFaults(meta: Metadata, check: MetadataCheck): MetadataFaults {
  const carried = carriedFaults(meta);
  return {
    byItsKind: wholeFaults(meta, check, carried),
    byEverybody: wholeFaults(meta, asksEverybody(check), carried),
  };
}

function wholeFaults(meta: Metadata, check: MetadataCheck, carried: readonly Fault[]): Fault[] {
  const { namespaced, checkName } = check;
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
  return [...faults, ...carried, ...finalizerFaults(meta), ...unqualifiedFaults(meta, check)];
}

/** Of what may be changed at any time, and is looked at each time. */
function carriedFaults({ labels, annotations, ownerReferences }: Metadata): readonly Fault[] {
  return [
    ...labelFaults(labels, childPath(metadata, "labels")),
    ...annotationFaults(annotations, childPath(metadata, "annotations")),
    ...ownerFaults(ownerReferences ?? [], childPath(metadata, "ownerReferences")),
  ];
}

export interface ChangeCheck extends MetadataCheck {
  readonly looks: readonly MetadataLook[];
}

/** From one version to the next. Faults are reported as often as upstream finds them: twice for all kinds, and as its own rules look. */
export function changedMetadataFaults(meta: Metadata, old: Metadata, check: ChangeCheck): MetadataFaults {
  const carried = carriedFaults(meta);
  const changed = [...changeFaults(meta, old), ...carried];
  const byItsKind = check.looks.flatMap((look) =>
    look === "whole" ? wholeFaults(meta, check, carried) : [...changed, ...unqualifiedFaults(meta, check)],
  );
  return { byItsKind, byEverybody: [...wholeFaults(meta, asksEverybody(check), carried), ...changed] };
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

function finalizerFaults({ finalizers = [] }: Metadata): Fault[] {
  const path = childPath(metadata, "finalizers");
  const faults = finalizers.flatMap((each) => validateQualifiedName(each).map((why) => invalidFault(path, each, why)));
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return faults;
  const why = "finalizer orphan and foregroundDeletion cannot be both set";
  return [...faults, invalidFault(path, finalizers, why)];
}

/** A finalizer's name says whose it is, but for those that are the server's own. */
function unqualifiedFaults({ finalizers = [] }: Metadata, { finalizerNames }: MetadataCheck): Fault[] {
  if (finalizerNames === "any") return [];
  const path = childPath(metadata, "finalizers");
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((each, i) =>
    each.includes("/") || standardFinalizers.has(each) ? [] : [invalidFault(itemPath(path, i), each, why)],
  );
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
