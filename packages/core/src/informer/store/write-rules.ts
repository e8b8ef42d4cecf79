// What happens to an object on its way into a store, whichever way it comes: its key is told, it is transformed once, and
// frozen where the store is asked to.
import { deepFreeze } from "../../base/index.ts";
import type { KeyFunction, Transform } from "./store.ts";
import { KeyError, TransformError } from "./store-errors.ts";

export interface WriteRules<T> {
  readonly keyOf: KeyFunction<T>;
  readonly transform: Transform<T> | undefined;
  readonly isFreezing: boolean;
}

/** Throws a KeyError. */
export function keyFor<T>(object: T, { keyOf }: Pick<WriteRules<T>, "keyOf">): string {
  try {
    return keyOf(object);
  } catch (error) {
    throw error instanceof KeyError ? error : new KeyError(object, error);
  }
}

/** What the store keeps of an object. The key is of the object as it came: a transform does not rename. */
export function keptOf<T>(key: string, object: T, { transform, isFreezing }: WriteRules<T>): T {
  const kept = transform === undefined ? object : transformed(key, object, transform);
  return isFreezing ? deepFreeze(kept) : kept;
}

function transformed<T>(key: string, object: T, transform: Transform<T>): T {
  try {
    return transform(object);
  } catch (error) {
    throw new TransformError(key, error);
  }
}
