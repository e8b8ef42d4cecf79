// One named index: from a value to the objects that have it. It remembers the values of each key, so removing a
// key never calls the index function again: nothing is left behind if an object was changed by mistake, or if the function returns other
// values today. A value without objects is removed.
//
// The array that `list` returns is never changed: after a write, the next reader gets a new array. So the first read copies once,
// further reads cost nothing, and a reader may iterate the array while the store changes. It is frozen only if that
// option is set, because iterating a frozen array takes two to three times as long.
import { Bucket } from "./bucket.ts";
import type { IndexFunction } from "./store.ts";
import { IndexError } from "./store-errors.ts";

/** Where a key is found: most have exactly one value, which then needs no array. */
export type IndexedValues = string | readonly string[];

const noObjects: readonly never[] = Object.freeze([]);
const noValues: readonly string[] = Object.freeze([]);

export class InvertedIndex<T> {
  readonly name: string;
  readonly #indexFunction: IndexFunction<T>;
  readonly #isFreezing: boolean;
  readonly #buckets = new Map<string, Bucket<T>>();
  /** The bucket of a key with one value; the list of values for other keys. */
  readonly #placeByKey = new Map<string, Bucket<T> | readonly string[]>();

  constructor(name: string, indexFunction: IndexFunction<T>, isFreezing: boolean) {
    this.name = name;
    this.#indexFunction = indexFunction;
    this.#isFreezing = isFreezing;
  }

  /** Calls the index function and returns its values. Changes nothing; throws an IndexError. */
  valuesOf(key: string, object: T): IndexedValues {
    try {
      const values = this.#indexFunction(object);
      if (values.length === 1) return values[0] as string;
      return values.length === 0 ? noValues : [...values];
    } catch (cause) {
      throw new IndexError(this.name, key, cause);
    }
  }

  /** Returns the values under which the key is indexed now. */
  recordedValues(key: string): IndexedValues {
    const place = this.#placeByKey.get(key) ?? noValues;
    return place instanceof Bucket ? place.value : place;
  }

  put(key: string, object: T, values: IndexedValues): void {
    const before = this.#placeByKey.get(key);
    // The usual case: the object's values have not changed.
    if (before instanceof Bucket && before.value === values) {
      before.put(key, object);
      return;
    }
    if (before !== undefined) this.#takeOut(key, before, values);
    if (typeof values === "string") {
      const bucket = this.#bucketOf(values);
      this.#placeByKey.set(key, bucket);
      bucket.put(key, object);
      return;
    }
    if (values.length > 0) this.#placeByKey.set(key, values);
    else if (before !== undefined) this.#placeByKey.delete(key);
    for (const value of values) this.#bucketOf(value).put(key, object);
  }

  remove(key: string): void {
    const before = this.#placeByKey.get(key);
    if (before === undefined) return;
    this.#placeByKey.delete(key);
    this.#takeOut(key, before, noValues);
  }

  list(value: string): readonly T[] {
    return this.#buckets.get(value)?.list() ?? noObjects;
  }

  keys(value: string): Iterable<string> {
    return this.#buckets.get(value)?.keys() ?? noValues;
  }

  values(): string[] {
    return [...this.#buckets.keys()];
  }

  /** Removes the key from its buckets, except those in `kept`. */
  #takeOut(key: string, place: Bucket<T> | readonly string[], kept: IndexedValues): void {
    for (const value of place instanceof Bucket ? [place.value] : place) {
      const isKept = typeof kept === "string" ? kept === value : kept.includes(value);
      if (isKept) continue;
      const bucket = this.#buckets.get(value);
      // Otherwise the values of short-lived objects would accumulate: kubernetes#84959.
      if (bucket?.remove(key) === 0) this.#buckets.delete(value);
    }
  }

  #bucketOf(value: string): Bucket<T> {
    let bucket = this.#buckets.get(value);
    if (bucket === undefined) {
      bucket = new Bucket(value, this.#isFreezing);
      this.#buckets.set(value, bucket);
    }
    return bucket;
  }
}
