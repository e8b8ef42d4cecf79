// The store that a reflector writes to: a queue in front of a cache, or a plain store.
import type { Transform } from "./store.ts";

export interface ReflectorStore<T> {
  /**
   * Applied by `add`, `update`, `delete` and `replace`. A reflector that collects a list, plain or streamed, applies it itself as items
   * arrive, so that dropped fields are never held, and then passes `isTransformed`: each object is transformed only once.
   */
  readonly transform?: Transform<T> | undefined;
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  replace(objects: readonly T[], resourceVersion: string, options?: ReplaceOptions): void;
  resync(): void;
  bookmark?(resourceVersion: string): void;
}

export interface ReplaceOptions {
  readonly isTransformed?: boolean;
}
