// Decides which change in a cache is only the echo of a key's own write: the watch event that this write caused. A key that wrote and then
// failed must not be requeued by its echo, or it would loop without backoff, as fast as the network. A change that somebody else made must
// requeue the key.
//
// The rules (`echoOf`, `echoesIn`) are pure: a write has one name for its echo, and a change has the names of all writes it may be the echo
// of. The echo of a deletion that only set the deletionTimestamp is the update to the version in the server's answer; the final removal is
// then not an echo.
//
// The memory holds the writes of keys that have not succeeded since they wrote; after a success the key's writes are forgotten. For a key
// that keeps failing, a write is kept for at least 15 s after it was found in a cache, because event handlers are called later than the
// cache is updated. It is forgotten at the latest by the first change that is reported 30 s after that. If a handler is called
// even later, the own write is treated as a change by somebody else: the key is retried once too often, which does not loop.
import { type KubernetesObject, keyOf } from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import { resourceId } from "../contract/for-drivers.ts";
import type { Change } from "../contract/index.ts";
import type { Expected } from "./sightings.ts";

/** Returns undefined for a write that cannot be proven to be the key's own. */
export function echoOf(expected: Expected): string | undefined {
  switch (expected.kind) {
    case "lost":
      return undefined;
    case "written":
      return expected.isOwn ? `version ${expected.version}` : undefined;
    case "removed":
      switch (expected.removal) {
        case "gone":
          return `removal ${expected.uid}`;
        case "marked":
          return `version ${expected.version}`;
        case "gone or marked":
          return `end ${expected.uid}`;
        case "found gone":
          return undefined;
        default:
          return assertNever(expected.removal);
      }
    default:
      return assertNever(expected);
  }
}

/** `end` is the first event of a deletion: the deletionTimestamp is set, or the object is removed without one. */
export function echoesIn(change: Change): readonly string[] {
  const { uid, resourceVersion, deletionTimestamp } = change.object.metadata;
  switch (change.type) {
    case "add":
      return [`version ${resourceVersion}`];
    case "update": {
      const isMarked = deletionTimestamp !== undefined && !isTerminating(change.before);
      return [`version ${resourceVersion}`, ...(isMarked ? [`end ${uid}`] : [])];
    }
    case "delete": {
      // A relist that no longer has the object hides the events before: the deletionTimestamp may have been set meanwhile.
      const isEnd = deletionTimestamp === undefined && change.cause !== "relist";
      return [`removal ${uid}`, ...(isEnd ? [`end ${uid}`] : [])];
    }
    default:
      return assertNever(change);
  }
}

function isTerminating({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** How long a write is remembered after a cache showed it, and the interval in which old writes are removed. */
const rememberedMs = 15_000;

export class EchoMemory {
  /** By key and echo: the time until which the echo is remembered. Infinite while the caches do not show the write. */
  readonly #byKey = new Map<string, Map<string, number>>();
  #nextSweepMs = 0;

  get size(): number {
    let size = 0;
    for (const echoes of this.#byKey.values()) size += echoes.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  written(key: string, expected: Expected): void {
    this.#remember(key, expected, Number.POSITIVE_INFINITY);
  }

  /** Called when a cache shows the write. Does nothing if the key's echoes were forgotten since the write. */
  sighted(key: string, expected: Expected, nowMs: number): void {
    const id = idOf(expected);
    const echoes = this.#byKey.get(key);
    if (id !== undefined && echoes?.has(id) === true) echoes.set(id, nowMs + rememberedMs);
  }

  /** Called for a write that the cache showed before the server's answer arrived. */
  writtenAndSighted(key: string, expected: Expected, nowMs: number): void {
    this.#remember(key, expected, nowMs + rememberedMs);
  }

  has(key: string, change: Change): boolean {
    const echoes = this.#byKey.get(key);
    if (echoes === undefined) return false;
    const object = `${resourceId(change.resource)}\n${keyOf(change.object)}`;
    return echoesIn(change).some((echo) => echoes.has(`${object}\n${echo}`));
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  forgetOld(nowMs: number): void {
    if (nowMs < this.#nextSweepMs) return;
    this.#nextSweepMs = nowMs + rememberedMs;
    for (const [key, echoes] of this.#byKey) {
      for (const [id, untilMs] of echoes) if (untilMs <= nowMs) echoes.delete(id);
      if (echoes.size === 0) this.#byKey.delete(key);
    }
  }

  #remember(key: string, expected: Expected, untilMs: number): void {
    const id = idOf(expected);
    if (id === undefined) return;
    const echoes = this.#byKey.get(key) ?? new Map<string, number>();
    this.#byKey.set(key, echoes.set(id, untilMs));
  }
}

function idOf(expected: Expected): string | undefined {
  const echo = echoOf(expected);
  return echo === undefined ? undefined : `${resourceId(expected.resource)}\n${expected.key}\n${echo}`;
}
