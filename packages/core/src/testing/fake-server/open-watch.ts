// One watch on the watch cache. It sends the initial objects, if they were requested, and then every change that matches the selectors. An
// object that starts matching is sent as ADDED, and one that stops matching as DELETED. Bookmarks are sent on a timer, and shortly before
// the end.
//
// Promises: events are in order and without gaps. If a reader is too slow, the watch ends; no event is skipped.
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
  /** The watch sends the changes after this revision. */
  readonly revision: number;
  /** The objects at that revision, to send first; undefined to send none. */
  readonly initial: readonly KubernetesObject[] | undefined;
  /** When to send the bookmark that marks the end of the initial events; undefined to send none. */
  readonly initialEndAfterMs: number | undefined;
  readonly timeoutMs: number;
  /** The interval of bookmarks; undefined to send none. */
  readonly bookmarkMs: number | undefined;
}

/** How a watch ends before its timeout: normally, with a connection reset, or with an ERROR event that has this status. */
export type WatchEnd = "end" | "reset" | StatusError;

/** How many events may wait for the reader, in addition to the initial objects and the changes that happened before the watch opened. */
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

  /** Subscribes to the cache. Events wait in a buffer for the reader. */
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

  /** Ends the stream. The reader still receives the events that were sent before. */
  end(how: WatchEnd): void {
    if (this.#state !== "open") return;
    if (typeof how === "object") this.#events.trySend(deepFreeze({ type: "ERROR", object: how.status }));
    this.#letGo("ending");
    this.#events.close(how === "reset" ? newReset() : undefined);
  }

  /** Called when the reader has left. Discards the remaining events. */
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
    // Sends no bookmark before the end of the initial events, nor with a version older than the requested one.
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

/** Returns a deleted object as DELETED events have it: its last state, with the resourceVersion of the deletion. */
export function atRevision(object: KubernetesObject, revision: number): KubernetesObject {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
}

function newReset(): TransportError {
  return new TransportError("connection reset by the fake server", { reason: "ConnectionReset", wasSent: "maybe" });
}
