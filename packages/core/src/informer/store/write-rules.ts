// The steps of every write to a store: compute the key, transform the object once, and
// freeze it if the store has that option.
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

/** Returns the object to store. The key is that of the object before the transform, because a transform must not rename. */
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
