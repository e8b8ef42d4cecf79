// A transform that makes caches smaller: it drops `metadata.managedFields`, which readers of a cache do not need, and shares
// equal strings. Together they reduce a cache of pods to about half its size.
//
// The argument's fields are not changed: the object and its metadata are copied to drop managedFields, and the rest is
// shared. Sharing strings replaces a string by an equal one in place, which no reader can notice. In a frozen object, as
// from a server in the same process, strings are not replaced: the server has them in memory anyway. An object that is decoded when it is looked at
// (`api/protobuf/deferred.ts`) loses its managedFields in place: copying it would decode it.
import { dropDeferred, isDeferred } from "../../api/index.ts";
import type { Transform } from "./store.ts";
import { StringPool } from "./string-pool.ts";

export interface StripOptions {
  /** Several caches may share one. Default: each call creates its own. */
  readonly pool?: StringPool;
}

type Members = Record<string, unknown>;

export function stripManagedFields<T extends object>({ pool = new StringPool() }: StripOptions = {}): Transform<T> {
  return (object) => {
    if (isDeferred(object)) return withoutDeferredFields(object);
    const stripped = withoutManagedFields(object);
    if (!Object.isFrozen(object)) shareStrings(stripped as Members | unknown[], pool);
    return stripped;
  };
}

/** Of an object that is decoded when it is looked at: it is not, and its texts are shared as they are decoded. */
function withoutDeferredFields<T extends object>(object: T): T {
  const { metadata } = object as { readonly metadata?: Members };
  if (metadata === undefined || !("managedFields" in metadata) || dropDeferred(metadata, "managedFields"))
    return object;
  return withoutManagedFields(object);
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
