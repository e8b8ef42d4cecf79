// A store that passes its whole content to a function on every change: for consumers that want the state, not events. One call
// for each write that changed something, none for reads. An error of the function is thrown to the writer.
import { IndexedStore } from "./indexed-store.ts";
import type { KeyFunction, Store } from "./store.ts";

/** Gets a new array. */
export type PushFunction<T> = (objects: T[]) => void;

export class UndeltaStore<T> implements Store<T> {
  readonly #store: Store<T>;
  readonly #push: PushFunction<T>;

  constructor(push: PushFunction<T>, store: Store<T>) {
    this.#push = push;
    this.#store = store;
  }

  get size(): number {
    return this.#store.size;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get(object: T): T | undefined {
    return this.#store.get(object);
  }

  getByKey(key: string): T | undefined {
    return this.#store.getByKey(key);
  }

  list(): T[] {
    return this.#store.list();
  }

  listKeys(): string[] {
    return this.#store.listKeys();
  }

  add(object: T): void {
    this.#store.add(object);
    this.#push(this.list());
  }

  update(object: T): void {
    this.#store.update(object);
    this.#push(this.list());
  }

  delete(object: T): void {
    this.#store.delete(object);
    this.#push(this.list());
  }

  replace(objects: readonly T[], resourceVersion: string): void {
    try {
      this.#store.replace(objects, resourceVersion);
    } finally {
      // If some objects failed, the others were still written.
      this.#push(this.list());
    }
  }

  resync(): void {
    this.#store.resync();
  }

  bookmark(resourceVersion: string): void {
    this.#store.bookmark(resourceVersion);
  }
}

export function newUndeltaStore<T>(push: PushFunction<T>, keyOf: KeyFunction<T>): UndeltaStore<T> {
  return new UndeltaStore(push, new IndexedStore({ keyOf }));
}
