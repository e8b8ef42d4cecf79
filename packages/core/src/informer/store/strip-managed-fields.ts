// The transform for caches that are to be small: `metadata.managedFields` dropped, which nobody who reads a cache needs, and
// equal strings shared. Together they take a cache of pods to about half its size.
//
// The object given is not changed: it is copied as far as managedFields reach (itself and its metadata), and keeps the
// rest. Sharing strings puts an equal string in the place of another, which nobody can see. Where the object is frozen, as
// from a server in the same process, strings are left alone: they are that server's, and in memory already.
import type { Transform } from "./store.ts";
import { StringPool } from "./string-pool.ts";

export interface StripOptions {
  /** Several caches may share one. Each call makes its own unless given. */
  readonly pool?: StringPool;
}

type Members = Record<string, unknown>;

export function stripManagedFields<T extends object>({ pool = new StringPool() }: StripOptions = {}): Transform<T> {
  return (object) => {
    const stripped = withoutManagedFields(object);
    if (!Object.isFrozen(object)) shareStrings(stripped as Members | unknown[], pool);
    return stripped;
  };
}

function withoutManagedFields<T extends object>(object: T): T {
  const { metadata } = object as { readonly metadata?: Members | null };
  if (typeof metadata !== "object" || metadata === null || !("managedFields" in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function shareStrings(container: Members | unknown[], pool: StringPool): void {
  if (Array.isArray(container)) {
    for (let at = 0; at < container.length; at++) {
      const value = container[at];
      if (typeof value === "string") {
        const seen = pool.seen(value);
        if (seen !== undefined && !Object.isFrozen(container)) container[at] = seen;
      } else if (isContainer(value)) shareStrings(value, pool);
    }
    return;
  }
  for (const key in container) {
    const value = container[key];
    if (typeof value === "string") {
      const seen = pool.seen(value);
      if (seen !== undefined && !Object.isFrozen(container)) container[key] = seen;
    } else if (isContainer(value)) shareStrings(value, pool);
  }
}

function isContainer(value: unknown): value is Members | unknown[] {
  return typeof value === "object" && value !== null;
}
