// Which change in a cache is only the echo of a key's own write. A key that wrote and then failed must not be woken by its echo, or it
// would go round as fast as the network; a change that somebody else made must wake it.
//
// The rules (`echoOf`, `echoesIn`) are pure: a write has one name for its echo, a change has the names of all writes it may be the echo
// of. A deletion that only marked the object echoes as the update to the version the server answered; the final removal is news then.
//
// The memory forgets a write half a minute after it was sighted at the latest, because the event may come after the cache has it (handlers
// are called later), and the question after the event (a worker asks when the key's work is over). Where that takes longer, an echo
// is taken for news: the key comes once too often, but so seldom that nothing goes round.
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

const turnMs = 15_000;

export class EchoMemory {
  /** Of writes that the caches do not show yet, however long that takes. */
  readonly #unseen = new Set<string>();
  /** Of writes sighted in this turn and in the last. */
  #recent = new Set<string>();
  #older = new Set<string>();
  #turnEndsMs = 0;

  get size(): number {
    return this.#unseen.size + this.#recent.size + this.#older.size;
  }

  written(key: string, expected: Expected): void {
    const id = idOf(key, expected);
    if (id !== undefined) this.#unseen.add(id);
  }

  sighted(key: string, expected: Expected, nowMs: number): void {
    const id = idOf(key, expected);
    if (id === undefined) return;
    this.forgetOld(nowMs);
    this.#unseen.delete(id);
    this.#recent.add(id);
  }

  has(key: string, change: Change): boolean {
    const object = `${key}\n${resourceId(change.resource)}\n${keyOf(change.object)}`;
    return echoesIn(change).some((echo) => {
      const id = `${object}\n${echo}`;
      return this.#unseen.has(id) || this.#recent.has(id) || this.#older.has(id);
    });
  }

  forgetOld(nowMs: number): void {
    if (nowMs < this.#turnEndsMs) return;
    // Nothing was sighted for a whole turn: the last one is too old, too.
    this.#older = nowMs < this.#turnEndsMs + turnMs ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turnEndsMs = nowMs + turnMs;
  }
}

function idOf(key: string, expected: Expected): string | undefined {
  const echo = echoOf(expected);
  return echo === undefined ? undefined : `${key}\n${resourceId(expected.resource)}\n${expected.key}\n${echo}`;
}
