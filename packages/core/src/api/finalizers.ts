// Adds and removes finalizers, which delay an object's deletion. Pure: the same object is returned if nothing changes.
import type { ObjectMeta } from "./generated/types/meta/v1.ts";

interface WithMetadata {
  readonly metadata: ObjectMeta;
}

export function hasFinalizer(object: WithMetadata, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** Appends the finalizer. */
export function addFinalizer<T extends WithMetadata>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** Removes the finalizer; if it was the last one, also the field. */
export function removeFinalizer<T extends WithMetadata>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const { finalizers = [], ...metadata } = object.metadata;
  const left = finalizers.filter((candidate) => candidate !== finalizer);
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
}
