// Owner references, and the controller reference (at most one of them). Pure: the same object is returned if
// nothing changes. An owner must be in the object's namespace or cluster-scoped.
import { KubeloopError } from "../base/errors.ts";
import type { ObjectMeta, OwnerReference } from "./generated/types/meta/v1.ts";
import { parseGroupVersion } from "./group-version.ts";
import type { KubernetesObject } from "./resource.ts";

interface WithMetadata {
  readonly metadata: ObjectMeta;
}

export class OwnerReferenceError extends KubeloopError {
  constructor(message: string, reason: "AlreadyOwned" | "CrossNamespace" | "NoUid") {
    super(message, { reason, retry: "never" });
  }
}

export function controllerOf(object: WithMetadata): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: WithMetadata, owner: WithMetadata): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

export function isOwnedBy(object: WithMetadata, owner: WithMetadata): boolean {
  const uid = owner.metadata.uid;
  return uid !== undefined && object.metadata.ownerReferences?.some((reference) => reference.uid === uid) === true;
}

/** Returns the reference that a controller sets on objects it creates: `controller` and `blockOwnerDeletion` are true. */
export function newControllerReference(owner: KubernetesObject): OwnerReference {
  return { ...newOwnerReference(owner), controller: true, blockOwnerDeletion: true };
}

export function newOwnerReference(owner: KubernetesObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined || uid === "") {
    throw new OwnerReferenceError(`owner ${owner.kind} ${name ?? ""} has no uid yet`, "NoUid");
  }
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
}

/** Throws an OwnerReferenceError if another owner controls the object, or the owner is in another namespace. */
export function setControllerReference<T extends KubernetesObject>(object: T, owner: KubernetesObject): T {
  checkNamespaces(object, owner);
  const existing = controllerOf(object);
  if (existing !== undefined && !isSameOwner(existing, newOwnerReference(owner))) {
    const text = `object ${nameOf(object)} is already owned by another ${existing.kind} controller ${existing.name}`;
    throw new OwnerReferenceError(text, "AlreadyOwned");
  }
  return withReference(object, newControllerReference(owner));
}

/** Adds an owner that does not control the object: the object is deleted after all its owners are gone. */
export function setOwnerReference<T extends KubernetesObject>(object: T, owner: KubernetesObject): T {
  checkNamespaces(object, owner);
  const reference = newOwnerReference(owner);
  const existing = object.metadata.ownerReferences?.find((candidate) => isSameOwner(candidate, reference));
  // `controller` and `blockOwnerDeletion` of an existing reference are kept.
  return withReference(object, { ...existing, ...reference });
}

/** Removes by uid: an owner that was deleted and created again with the same name is another owner. */
export function removeOwnerReference<T extends WithMetadata>(object: T, ownerUid: string): T {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const left = ownerReferences.filter((reference) => reference.uid !== ownerUid);
  if (left.length === ownerReferences.length) return object;
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, ownerReferences: left } };
}

function withReference<T extends KubernetesObject>(object: T, reference: OwnerReference): T {
  const references = object.metadata.ownerReferences ?? [];
  const index = references.findIndex((candidate) => isSameOwner(candidate, reference));
  const existing = references[index];
  if (existing !== undefined && isSameReference(existing, reference)) return object;
  const ownerReferences = existing === undefined ? [...references, reference] : references.with(index, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** Ignores versions: an owner stays the same if its group is served in a new version. */
function isSameOwner(left: OwnerReference, right: OwnerReference): boolean {
  return (
    parseGroupVersion(left.apiVersion).group === parseGroupVersion(right.apiVersion).group &&
    left.kind === right.kind &&
    left.name === right.name
  );
}

function isSameReference(left: OwnerReference, right: OwnerReference): boolean {
  return (
    left.apiVersion === right.apiVersion &&
    left.uid === right.uid &&
    left.controller === right.controller &&
    left.blockOwnerDeletion === right.blockOwnerDeletion
  );
}

function checkNamespaces(object: KubernetesObject, owner: KubernetesObject): void {
  const ownerNamespace = owner.metadata.namespace ?? "";
  const namespace = object.metadata.namespace ?? "";
  if (ownerNamespace === "" || ownerNamespace === namespace) return;
  const text =
    namespace === ""
      ? `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ownerNamespace}`
      : `cross-namespace owner references are disallowed, owner's namespace ${ownerNamespace}, obj's namespace ${namespace}`;
  throw new OwnerReferenceError(text, "CrossNamespace");
}

function nameOf(object: KubernetesObject): string {
  const { namespace, name = "" } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}
