// Computes the key of everything added to a queue, rejects objects without a key, and applies the transform once. Tombstones, and objects
// that come back from the cache, are already transformed.
import type { ReplaceOptions } from "../store/reflector-store.ts";
import type { KeyFunction, Transform } from "../store/store.ts";
import { KeyError } from "../store/store-errors.ts";
import { type Deleted, isFinalStateUnknown } from "../tombstone.ts";
import type { ObjectDelta } from "./deltas.ts";

/** A value that has a key: an object, a tombstone, or the deltas of one object. */
export type Keyed<T> = Deleted<T> | readonly ObjectDelta<T>[];

export interface IntakeOptions<T> {
  readonly keyOf: KeyFunction<T>;
  readonly transform: Transform<T> | undefined;
}

export class Intake<T> {
  readonly transform: Transform<T> | undefined;
  readonly #keyOf: KeyFunction<T>;

  constructor({ keyOf, transform }: IntakeOptions<T>) {
    this.#keyOf = keyOf;
    this.transform = transform;
  }

  /** Throws a KeyError. */
  keyOf(item: Keyed<T>): string {
    const object = isDeltas(item) ? newestOf(item).object : item;
    if (isFinalStateUnknown(object)) return object.key;
    try {
      return this.#keyOf(object);
    } catch (cause) {
      throw cause instanceof KeyError ? cause : new KeyError(object, cause);
    }
  }

  /** For items in the queue: undefined if the transform has removed the key. */
  keyInside(object: Deleted<T>): string | undefined {
    try {
      return this.keyOf(object);
    } catch {
      return undefined;
    }
  }

  keep(object: T): T {
    return this.transform === undefined ? object : this.transform(object);
  }

  /** All or none: if one object fails, none is queued. */
  keepAll(objects: readonly T[], options: ReplaceOptions | undefined): readonly T[] {
    const { transform } = this;
    return transform === undefined || options?.isTransformed === true
      ? objects
      : objects.map((each) => transform(each));
  }
}

function isDeltas<T>(item: Keyed<T>): item is readonly ObjectDelta<T>[] {
  return Array.isArray(item);
}

function newestOf<T>(deltas: readonly ObjectDelta<T>[]): ObjectDelta<T> {
  const newest = deltas.at(-1);
  if (newest === undefined) throw new KeyError(deltas, "there are no deltas");
  return newest;
}
