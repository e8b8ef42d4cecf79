// A store for which a test provides only the methods that it needs. A method that is not given does nothing and returns the result of an empty
// store.
import type { Store } from "../informer/store/store.ts";

export class FakeCustomStore<T> implements Store<T> {
  readonly #given: Partial<Store<T>>;

  constructor(given: Partial<Store<T>> = {}) {
    this.#given = given;
  }

  get size(): number {
    return this.#given.size ?? 0;
  }

  get resourceVersion(): string {
    return this.#given.resourceVersion ?? "";
  }

  get(object: T): T | undefined {
    return this.#given.get?.(object);
  }

  getByKey(key: string): T | undefined {
    return this.#given.getByKey?.(key);
  }

  list(): T[] {
    return this.#given.list?.() ?? [];
  }

  listKeys(): string[] {
    return this.#given.listKeys?.() ?? [];
  }

  add(object: T): void {
    this.#given.add?.(object);
  }

  update(object: T): void {
    this.#given.update?.(object);
  }

  delete(object: T): void {
    this.#given.delete?.(object);
  }

  replace(objects: readonly T[], resourceVersion: string): void {
    this.#given.replace?.(objects, resourceVersion);
  }

  resync(): void {
    this.#given.resync?.();
  }

  bookmark(resourceVersion: string): void {
    this.#given.bookmark?.(resourceVersion);
  }
}
