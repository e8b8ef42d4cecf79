// Key and index functions. A key is "namespace/name", or "name" for cluster-scoped objects; an object
// without a name has no key and causes a KeyError.
import { keyOf, type ObjectKey, type ObjectName, splitKey } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import type { Indexers } from "./store.ts";
import { KeyError } from "./store-errors.ts";

/** A key in place of an object, for callers that have only the key. client-go's ExplicitKey. */
export class ExplicitKey {
  readonly key: ObjectKey;

  constructor(key: ObjectKey) {
    this.key = key;
    Object.freeze(this);
  }
}

export function explicitKey(key: ObjectKey): ExplicitKey {
  return new ExplicitKey(key);
}

/** Returns the key of an API object; of an explicit key, the key itself. */
export function metaNamespaceKeyFunc(object: unknown): ObjectKey {
  // The fast path for nearly every call: it allocates nothing else.
  if (isNamed(object)) return keyOf(object);
  if (object instanceof ExplicitKey) return object.key;
  throw new KeyError(object, faultOf(object));
}

/** Like `metaNamespaceKeyFunc`; for a tombstone returns its key. */
export function deletionHandlingMetaNamespaceKeyFunc(gone: unknown): ObjectKey {
  return gone instanceof DeletedFinalStateUnknown ? gone.key : metaNamespaceKeyFunc(gone);
}

/** Throws for a key with more than one slash. */
export function splitMetaNamespaceKey(key: string): ObjectName {
  return splitKey(key);
}

/** Returns the name of an object, or the name in a tombstone's key. */
export function objectName(object: unknown): ObjectName {
  if (object instanceof DeletedFinalStateUnknown) return splitKey(object.key);
  if (object instanceof ExplicitKey) return splitKey(object.key);
  if (!isNamed(object)) return splitKey(metaNamespaceKeyFunc(object));
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name };
}

/** The name of the index that listers use for namespaces. */
export const namespaceIndex = "namespace";

interface Placed {
  readonly metadata: { readonly namespace?: string };
}

/** Cluster-scoped objects are under "". */
export function metaNamespaceIndexFunc(object: Placed): readonly string[] {
  return [object.metadata.namespace ?? ""];
}

export const namespaceIndexers: Indexers<Placed> = { [namespaceIndex]: metaNamespaceIndexFunc };

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function isNamed(object: unknown): object is Named {
  if (typeof object !== "object" || object === null) return false;
  const { metadata } = object as { readonly metadata?: unknown };
  if (typeof metadata !== "object" || metadata === null) return false;
  const { name } = metadata as { readonly name?: unknown };
  return typeof name === "string" && name !== "";
}

function faultOf(object: unknown): string {
  const hasMetadata = typeof object === "object" && object !== null && "metadata" in object;
  return hasMetadata ? "it has no name" : "it has no metadata";
}
