// The counterpart of controller-runtime's controllerutil: bring an object or its status to a wanted state, and add or remove a finalizer. The
// object is created if it does not exist, and only the fields that differ are written.
//
//   const { result } = await ensure(context, deployments, { metadata: { namespace, name }, spec: { replicas: 3, … } }, { owner: foo });
//   await createOrUpdate(context, configMaps, key, (draft) => {
//     draft.data = { ...draft.data, color: "red" };
//     return setControllerReference(draft, foo);
//   });
//
// `ensure` takes the wanted fields and keeps those that the server has defaulted. A function given to `createOrUpdate` must do that itself: one that
// replaces a list or an object as a whole (`{ ...draft, ...wanted }`) removes the defaults, the server fills them in again, and the next
// reconcile writes the same patch.
//
// Promises: cached objects are not modified, because `change` gets a copy. A conflict, like every failure, is thrown, and the whole
// reconcile is retried. Values that differ only in notation ("1000m", "1") are not written. `setControllerReference`, `setOwnerReference`,
// `removeOwnerReference` and `setCondition` of `@kubeloop/core/api` are meant for use inside `change`.
import {
  addFinalizer,
  hasFinalizer,
  isAlreadyExists,
  type KubernetesObject,
  keyOf,
  type Resource,
  removeFinalizer,
  splitKey,
} from "../../api/index.ts";
import { copyJson, KubeloopError } from "../../base/index.ts";
import { type EditOptions, hasStatusSubresource } from "../../contract/for-drivers.ts";
import {
  type Action,
  create,
  type EnsureOptions,
  editObject,
  editStatus,
  ensureObject,
  type Wanted,
} from "../../contract/index.ts";
import type { Editor } from "./editor.ts";

/** A copy whose fields may be changed. A list can be replaced by another list, also by a read-only one, but it has no `push`. */
export type Draft<T> = T extends readonly (infer E)[]
  ? readonly Draft<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

/** A draft of an object that may not exist yet. Then it has only apiVersion, kind and metadata, even if its type requires more fields. */
export type ObjectDraft<T> = Draft<Pick<T, Extract<keyof T, keyof KubernetesObject>>> &
  Partial<Draft<Omit<T, keyof KubernetesObject>>>;

/** Changes the copy, or returns another object. */
export type ChangeObject<T> = (draft: ObjectDraft<T>) => T | ObjectDraft<T> | undefined;

/** The same for an object that exists. */
export type ChangeStatus<T> = (draft: Draft<T>) => T | Draft<T> | undefined;

export interface Edited<T, R extends string = "created" | "updated" | "unchanged"> {
  readonly result: R;
  /** The object as the server returned it. */
  readonly object: T;
}

/** Creates or updates an object. Throws a conflict if somebody has changed it since it was read. Does not write a status subresource. */
export async function createOrUpdate<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  key: string,
  change: ChangeObject<T>,
): Promise<Edited<T>> {
  const found = await findOrCreate(editor, resource, key, change);
  if (found.result === "created") return found;
  const wanted = changed(found.object, change);
  return await write(editor, found.object, editObject(resource, found.object, wanted));
}

/**
 * Writes the wanted fields of an object, and leaves every other field as the server or others have set it: see `ensureObject` for the rules.
 * Creates the object if it does not exist. Writes nothing if the object already has the wanted fields; defaulted fields do not count as a
 * difference.
 */
export async function ensure<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  wanted: Wanted<T>,
  options: EnsureOptions = {},
): Promise<Edited<T>> {
  const key = keyOf(wanted as unknown as KubernetesObject);
  const found = await editor.read(resource, key);
  if (found !== undefined) return await write(editor, found, ensureObject(resource, found, wanted, options));
  const creation = ensureObject(resource, undefined, wanted, options) as Action<T>;
  const object = await createUnlessThere(editor, resource, key, creation);
  if (object.result === "created") return object;
  return await write(editor, object.object, ensureObject(resource, object.object, wanted, options));
}

export type PatchResult = "created" | "updated" | "updatedStatus" | "updatedStatusOnly" | "unchanged";

/** Creates or patches an object and its status, without a version precondition: the last writer of a field wins. */
export async function createOrPatch<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  key: string,
  change: ChangeObject<T>,
): Promise<Edited<T, PatchResult>> {
  const options: EditOptions = { isLocked: false };
  const found = await findOrCreate(editor, resource, key, change);
  const wanted = changed(found.object, change);
  const isNew = found.result === "created";
  const body = isNew ? undefined : editObject(resource, found.object, wanted, options);
  const edited = await write(editor, found.object, body);
  if (!hasStatusSubresource(resource)) return isNew ? { ...edited, result: "created" } : edited;
  const withStatus = await write(editor, edited.object, editStatus(resource, found.object, wanted, options));
  const isUpdated = edited.result === "updated";
  if (isNew) return { result: "created", object: withStatus.object };
  if (withStatus.result === "unchanged") return edited;
  return { result: isUpdated ? "updatedStatus" : "updatedStatusOnly", object: withStatus.object };
}

/** Writes only the status of an object. Throws a conflict if somebody has changed the object since it was read. */
export async function writeStatus<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  object: T,
  change: ChangeStatus<T>,
): Promise<Edited<T, "updated" | "unchanged">> {
  return await write(editor, object, editStatus(resource, object, changed(object, change)));
}

/** Returns the object with the finalizer. Throws if the object is terminating, because the API server accepts no new finalizer then. */
export async function ensureFinalizer<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  if (object.metadata.deletionTimestamp !== undefined) {
    const message = `${resource.kind} ${keyOf(object)} is being deleted and takes no finalizer`;
    throw new KubeloopError(message, { reason: "Terminating" });
  }
  return (await write(editor, object, editObject(resource, object, addFinalizer(object, finalizer)))).object;
}

/** Removes the finalizer. An object that no longer exists is not an error. */
export async function releaseFinalizer<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  const action = editObject(resource, object, removeFinalizer(object, finalizer), { tolerates: ["NotFound"] });
  if (action !== undefined) await editor.perform<T>(action);
}

async function findOrCreate<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  key: string,
  change: ChangeObject<T>,
): Promise<Edited<T, "created" | "unchanged">> {
  const cached = await editor.read(resource, key);
  if (cached !== undefined) return { result: "unchanged", object: cached };
  const wanted = changed(newObject(resource, key), change);
  if (keyOf(wanted) !== key) throw newRenamed(key, keyOf(wanted));
  return await createUnlessThere(editor, resource, key, create(resource, wanted));
}

async function createUnlessThere<T extends KubernetesObject>(
  editor: Editor,
  resource: Resource<T>,
  key: string,
  action: Action<T>,
): Promise<Edited<T, "created" | "unchanged">> {
  const sent = action.type === "create" ? (action.object as T) : undefined;
  try {
    const made = (await editor.perform(action)) ?? sent;
    if (made !== undefined) return { result: "created", object: made };
    throw new KubeloopError(`${resource.kind} ${key} was not created`, { reason: "Internal", retry: "never" });
  } catch (error) {
    // AlreadyExists: the cache is behind, or its selector excludes the object.
    const live = isAlreadyExists(error) ? await editor.readLive(resource, key) : undefined;
    if (live === undefined) throw error;
    return { result: "unchanged", object: live };
  }
}

async function write<T extends KubernetesObject>(
  editor: Editor,
  object: T,
  action: Action<T> | undefined,
): Promise<Edited<T, "updated" | "unchanged">> {
  if (action === undefined) return { result: "unchanged", object };
  const written = (await editor.perform(action)) ?? object;
  // If defaulting turns the written object back into the stored one, the server writes nothing and keeps the resourceVersion.
  const isSame = written.metadata.resourceVersion === object.metadata.resourceVersion;
  return { result: isSame ? "unchanged" : "updated", object: written };
}

function changed<T extends KubernetesObject>(object: T, change: ChangeObject<T> | ChangeStatus<T>): T {
  const draft = copyJson(object) as Draft<T> & ObjectDraft<T>;
  return (change(draft) ?? draft) as T;
}

function newObject<T extends KubernetesObject>(resource: Resource<T>, key: string): T {
  const { namespace, name } = splitKey(key);
  const metadata = namespace === "" ? { name } : { namespace, name };
  return { apiVersion: resource.apiVersion, kind: resource.kind, metadata } as T;
}

function newRenamed(key: string, other: string): KubeloopError {
  return new KubeloopError(`the change function must keep name and namespace: expected "${key}", got "${other}"`, {
    reason: "Invalid",
    retry: "never",
  });
}
