// One watch on the cache: what was there first, if that was asked for, then every change that its selectors let through, with
// crossings of the selector told as the coming and going they are. Bookmarks come on a timer and shortly before the end.
//
// Promises: in order, no gap. A reader who falls too far behind is cut off, not skipped.
import { type KubernetesObject, type StatusError, TransportError } from "../../api/index.ts";
import { Channel, type Clock, deepFreeze, onAbort } from "../../base/index.ts";
import type { Change } from "./object-collections.ts";
import type { WatchCache } from "./watch-cache.ts";

export interface WatchTarget {
  readonly collection: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly matches: (object: KubernetesObject) => boolean;
}

export interface WatchStart {
  /** Changes after this one. */
  readonly revision: number;
  /** What was there at that revision, to begin with. */
  readonly initial: readonly KubernetesObject[] | undefined;
  /** When to say that the beginning is over; undefined never does. */
  readonly initialEndAfterMs: number | undefined;
  readonly timeoutMs: number;
  /** Undefined sends none. */
  readonly bookmarkMs: number | undefined;
}

/** How a watch ends before its time: in order, as a broken connection, or with the server's complaint. */
export type WatchEnd = "end" | "reset" | StatusError;

/** How many events may wait for the reader, besides those it begins with. */
const maxBacklog = 1_000;
const lastBookmarkMs = 2_000;

export class OpenWatch {
  readonly #target: WatchTarget;
  readonly #start: WatchStart;
  readonly #cache: WatchCache;
  readonly #clock: Clock;
  readonly #onClosed: () => void;
  readonly #missed: readonly Change[];
  readonly #events: Channel<unknown>;
  #held: Disposable[] = [];
  #bookmarkTimer: Disposable | undefined;
  #isInitialOver = false;
  #state: "new" | "open" | "ending" | "closed" = "new";

  constructor(
    target: WatchTarget,
    start: WatchStart,
    { cache, clock, onClosed }: { readonly cache: WatchCache; readonly clock: Clock; readonly onClosed: () => void },
  ) {
    this.#target = target;
    this.#start = start;
    this.#cache = cache;
    this.#clock = clock.labelled({ kind: "background", name: "fake server's watch" });
    this.#onClosed = onClosed;
    this.#missed = cache.changesAfter(start.revision) ?? [];
    this.#events = new Channel(maxBacklog + this.#missed.length + (start.initial?.length ?? 0));
  }

  /** Begins to listen; what is heard waits for the reader. */
  open(signal: AbortSignal): void {
    const { initial, initialEndAfterMs, timeoutMs, bookmarkMs } = this.#start;
    this.#state = "open";
    for (const object of initial ?? []) if (this.#target.matches(object)) this.#send("ADDED", object);
    for (const change of this.#missed) this.#tell(change);
    this.#isInitialOver = initialEndAfterMs === undefined;
    if (initialEndAfterMs === 0) this.#endInitial();
    else if (initialEndAfterMs !== undefined)
      this.#hold(this.#clock.after(initialEndAfterMs, () => this.#endInitial()));
    this.#hold(this.#cache.onChange((change) => this.#tell(change)));
    this.#hold(this.#clock.after(timeoutMs, () => this.end("end")));
    if (bookmarkMs !== undefined) {
      this.#scheduleBookmark(bookmarkMs);
      if (timeoutMs > lastBookmarkMs) {
        this.#hold(this.#clock.after(timeoutMs - lastBookmarkMs, () => this.#sendBookmark()));
      }
    }
    this.#hold(onAbort(signal, () => this.close()));
  }

  /** Ends the stream; what was sent before is still read. */
  end(how: WatchEnd): void {
    if (this.#state !== "open") return;
    if (typeof how === "object") this.#events.trySend(deepFreeze({ type: "ERROR", object: how.status }));
    this.#letGo("ending");
    this.#events.close(how === "reset" ? newReset() : undefined);
  }

  /** Nobody reads any more. */
  close(): void {
    if (this.#state === "closed") return;
    this.#letGo("closed");
    this.#events.close();
    this.#onClosed();
  }

  async *read(signal: AbortSignal): AsyncGenerator<unknown, void, undefined> {
    try {
      for (;;) {
        const next = await this.#events.receive(signal);
        if (next === undefined || this.#state === "closed") return;
        yield next.value;
      }
    } finally {
      this.close();
    }
  }

  #tell({ revision, collection, before, after }: Change): void {
    if (collection !== this.#target.collection || revision <= this.#start.revision) return;
    const wasIn = before !== undefined && this.#target.matches(before);
    const isIn = after !== undefined && this.#target.matches(after);
    if (isIn) this.#send(wasIn ? "MODIFIED" : "ADDED", after);
    else if (wasIn) this.#send("DELETED", atRevision(before, revision));
  }

  #send(type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", object: object): void {
    if (this.#state === "open" && !this.#events.trySend(deepFreeze({ type, object }))) this.end("end");
  }

  #endInitial(): void {
    this.#isInitialOver = true;
    this.#sendBookmark({ "k8s.io/initial-events-end": "true" });
  }

  #scheduleBookmark(afterMs: number): void {
    this.#bookmarkTimer = this.#clock.after(afterMs, () => {
      this.#sendBookmark();
      if (this.#state === "open") this.#scheduleBookmark(afterMs);
    });
  }

  #sendBookmark(annotations?: Readonly<Record<string, string>>): void {
    // Neither before the beginning is over, which would end it, nor of a version before the one asked for.
    if (!this.#isInitialOver || this.#cache.revision < this.#start.revision) return;
    const { kind, apiVersion } = this.#target;
    const resourceVersion = String(this.#cache.revision);
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    this.#send("BOOKMARK", { kind, apiVersion, metadata });
  }

  #hold(held: Disposable): void {
    this.#held.push(held);
  }

  #letGo(state: "ending" | "closed"): void {
    this.#state = state;
    this.#bookmarkTimer?.[Symbol.dispose]();
    for (const held of this.#held) held[Symbol.dispose]();
    this.#held = [];
  }
}

/** A deleted object as events show it: its last state, under the version of its deletion. */
export function atRevision(object: KubernetesObject, revision: number): KubernetesObject {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

function newReset(): TransportError {
  return new TransportError("connection reset by the fake server", { reason: "ConnectionReset", wasSent: "maybe" });
}
