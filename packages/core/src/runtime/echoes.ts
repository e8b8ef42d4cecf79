// Which change in a cache is only the echo of a key's own write. A key that wrote and then failed must not be woken by its echo, or it
// would go round as fast as the network; a change that somebody else made must wake it.
//
// The rules (`echoOf`, `echoesIn`) are pure: a write has one name for its echo, a change has the names of all writes it may be the echo
// of. A deletion that only marked the object echoes as the update to the version the server answered; the final removal is news then.
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

/** Undefined for what cannot be known to be the key's own. */
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

/** `end` is where a deletion begins: the object is marked, or removed without having been. */
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
      // A list that no longer has the object hides what happened to it before: it may have been marked meanwhile.
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

/** How long a write is remembered after it was sighted, and how often old ones are looked for. */
const rememberedMs = 15_000;

export class EchoMemory {
  /** By key and echo, until when it is remembered; for ever while the caches do not show the write. */
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

  /** Nothing if the key's echoes were forgotten since it was written. */
  sighted(key: string, expected: Expected, nowMs: number): void {
    const id = idOf(expected);
    const echoes = this.#byKey.get(key);
    if (id !== undefined && echoes?.has(id) === true) echoes.set(id, nowMs + rememberedMs);
  }

  /** Written, and sighted before the answer came. */
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
