// Patches of owner references. Built-in kinds take strategic patches, which name only the references that change, so that nobody else's
// edit is in the way. Others take a merge patch with the whole list, and with the resourceVersion at which the list was read.
import { type metav1, type Resource, schemaOfKind } from "@kubeloop/core/api";
import { type Action, patch } from "@kubeloop/core/contract";
import { type Identity, keyIn } from "./identity.ts";

export interface PatchedItem {
  readonly identity: Identity;
  readonly resourceVersion: string;
  readonly owners: readonly metav1.OwnerReference[];
}

interface PatchOptions {
  readonly takesStrategicPatch: (resource: Resource) => boolean;
}

/** Without the references to these owners. */
export function removeOwners(
  resource: Resource,
  item: PatchedItem,
  { uids, takesStrategicPatch }: PatchOptions & { readonly uids: ReadonlySet<string> },
): Action {
  const { identity, resourceVersion, owners } = item;
  const { uid } = identity;
  const key = keyIn(resource, identity);
  if (isStrategic(resource, takesStrategicPatch)) {
    const ownerReferences = [...uids].map((each) => ({ $patch: "delete", uid: each }));
    const body = { metadata: { ownerReferences } };
    return patch(resource, key, { type: "strategic", body }, { preconditions: { uid }, tolerates: ["NotFound"] });
  }
  const left = owners.filter((owner) => !uids.has(owner.uid));
  return mergeOwners(resource, key, left, { uid, resourceVersion });
}

/** With references that block no owner; undefined where none does. Locked, so that a deletion in the same plan may follow on it. */
export function unblockOwners(
  resource: Resource,
  item: PatchedItem,
  { takesStrategicPatch }: PatchOptions,
): Action | undefined {
  const { identity, resourceVersion, owners } = item;
  const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  if (blocking.length === 0) return undefined;
  const preconditions = { uid: identity.uid, resourceVersion };
  const key = keyIn(resource, identity);
  const unblocked = (all: readonly metav1.OwnerReference[]) =>
    all.map((each) => ({ ...each, blockOwnerDeletion: false }));
  if (!isStrategic(resource, takesStrategicPatch)) return mergeOwners(resource, key, unblocked(owners), preconditions);
  const body = { metadata: { ownerReferences: unblocked(blocking) } };
  return patch(resource, key, { type: "strategic", body }, { preconditions });
}

function isStrategic(resource: Resource, takesStrategicPatch: PatchOptions["takesStrategicPatch"]): boolean {
  return schemaOfKind(resource) !== undefined && takesStrategicPatch(resource);
}

function mergeOwners(
  resource: Resource,
  key: string,
  owners: readonly metav1.OwnerReference[],
  preconditions: { readonly uid: string; readonly resourceVersion: string },
): Action {
  const body = { metadata: { ownerReferences: owners.length === 0 ? null : owners } };
  return patch(resource, key, { type: "merge", body }, { preconditions, tolerates: ["NotFound"] });
}
