// How objects are named within a store, and by which namespace they are indexed. A key is "namespace/name", or "name" for
// what lives in no namespace; whatever has no name has no key, and a KeyError says so.
import { keyOf, type ObjectKey, type ObjectName, splitKey } from "../../api/index.ts";
import { DeletedFinalStateUnknown } from "../tombstone.ts";
import type { Indexers } from "./store.ts";
import { KeyError } from "./store-errors.ts";

/** A key in the place of an object, for whoever knows only that. */
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

/** The key of an API object; an explicit key is its own. */
export function metaNamespaceKeyFunc(object: unknown): ObjectKey {
  // What nearly every call gets, with no other object made on the way.
  if (isNamed(object)) return keyOf(object);
  if (object instanceof ExplicitKey) return object.key;
  throw new KeyError(object, faultOf(object));
}

/** As `metaNamespaceKeyFunc`; of a tombstone, the key it carries. */
export function deletionHandlingMetaNamespaceKeyFunc(gone: unknown): ObjectKey {
  return gone instanceof DeletedFinalStateUnknown ? gone.key : metaNamespaceKeyFunc(gone);
}

/** Throws for a key with more than one slash. */
export function splitMetaNamespaceKey(key: string): ObjectName {
  return splitKey(key);
}

/** The name of an object, or the one that a tombstone's key spells. */
export function objectName(object: unknown): ObjectName {
  if (object instanceof DeletedFinalStateUnknown) return splitKey(object.key);
  if (object instanceof ExplicitKey) return splitKey(object.key);
  if (!isNamed(object)) return splitKey(metaNamespaceKeyFunc(object));
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name };
}

/** The name under which listers look for the index by namespace. */
export const namespaceIndex = "namespace";

interface Placed {
  readonly metadata: { readonly namespace?: string };
}

/** What lives in no namespace is found under "". */
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
