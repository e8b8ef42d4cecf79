// The objects of one value of an index, and the array that readers share until the next write. In many indexes (by uid, by
// address) each value has one object. That one is stored without a map, which would cost as much time and memory as everything else.

export class Bucket<T> {
  readonly value: string;
  readonly #isFreezing: boolean;
  /** Used while there is one object. */
  #onlyKey: string | undefined;
  #onlyObject: T | undefined;
  /** Used from the second object on. */
  #objects: Map<string, T> | undefined;
  #list: readonly T[] | undefined;

  constructor(value: string, isFreezing: boolean) {
    this.value = value;
    this.#isFreezing = isFreezing;
  }

  put(key: string, object: T): void {
    this.#list = undefined;
    if (this.#objects !== undefined) {
      this.#objects.set(key, object);
    } else if (this.#onlyKey === undefined || this.#onlyKey === key) {
      this.#onlyKey = key;
      this.#onlyObject = object;
    } else {
      this.#objects = new Map([
        [this.#onlyKey, this.#onlyObject as T],
        [key, object],
      ]);
      this.#onlyKey = undefined;
      this.#onlyObject = undefined;
    }
  }

  /** Returns the number of objects left. */
  remove(key: string): number {
    this.#list = undefined;
    if (this.#objects !== undefined) {
      this.#objects.delete(key);
      return this.#objects.size;
    }
    if (this.#onlyKey === key) {
      this.#onlyKey = undefined;
      this.#onlyObject = undefined;
    }
    return this.#onlyKey === undefined ? 0 : 1;
  }

  list(): readonly T[] {
    if (this.#list !== undefined) return this.#list;
    const list = this.#objects === undefined ? this.#onlyList() : [...this.#objects.values()];
    this.#list = this.#isFreezing ? Object.freeze(list) : list;
    return list;
  }

  keys(): Iterable<string> {
    if (this.#objects !== undefined) return this.#objects.keys();
    return this.#onlyKey === undefined ? [] : [this.#onlyKey];
  }

  #onlyList(): T[] {
    return this.#onlyKey === undefined ? [] : [this.#onlyObject as T];
  }
}
