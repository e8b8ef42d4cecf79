// A storage that does some things otherwise than the one inside: counts what is read, loses races, never answers.
import type { Storage } from "./storage.ts";

export function altered(inner: Storage, changes: Partial<Storage>): Storage {
  return {
    get log() {
      return inner.log;
    },
    get: (storageKey) => inner.get(storageKey),
    list: (collection, range) => inner.list(collection, range),
    write: (writes) => inner.write(writes),
    compact: (revision) => inner.compact(revision),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    ...changes,
  };
}
