// The key of an object in queues and maps: "namespace/name", or "name" if cluster-scoped. A branded string, so
// that it is a primitive (comparable, hashable) and still not any text.
import { KubeloopError } from "../base/errors.ts";
import { quote } from "./quote.ts";

declare const objectKey: unique symbol;
export type ObjectKey = string & { readonly [objectKey]: true };

export interface ObjectName {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

interface Named {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** Returns the key of an object that has a name. */
export function keyOf(object: Named): ObjectKey {
  const { namespace, name } = object.metadata;
  return (namespace ? `${namespace}/${name ?? ""}` : (name ?? "")) as ObjectKey;
}

/** Returns the key of a name in a namespace; an empty namespace means cluster-scoped. */
export function objectKeyOf(namespace: string, name: string): ObjectKey {
  return (namespace === "" ? name : `${namespace}/${name}`) as ObjectKey;
}

/** Throws for text with more than one slash. */
export function splitKey(key: string): ObjectName {
  const slash = key.indexOf("/");
  if (slash < 0) return { namespace: "", name: key };
  if (key.indexOf("/", slash + 1) >= 0) {
    throw new KubeloopError(`unexpected key format: ${quote(key)}`, { reason: "InvalidKey", retry: "never" });
  }
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Parses a key from outside (a flag, a file); throws as `splitKey`. */
export function parseObjectKey(text: string): ObjectKey {
  const { namespace, name } = splitKey(text);
  return objectKeyOf(namespace, name);
}
