// A watch that is reopened at its last version when it ends or fails, for readers without a cache: each change after a version, once, in
// order. It ends only if continuing is impossible or forbidden; then the server's error is the last event.
//
//   for await (const event of new RetryWatcher(source, { resourceVersion }, signal)) …
//
// Not promised: that nothing is missed after a 410. After a 410 the reader has to list again.
import {
  findStatusError,
  isForbidden,
  isResourceExpired,
  isUnauthorized,
  type KubernetesObject,
  newInternalError,
  retryAfterMs,
  StatusError,
} from "../../api/index.ts";
import {
  type Clock,
  defaultLog,
  isAborted,
  KubeloopError,
  type Log,
  type Random,
  systemClock,
  systemRandom,
} from "../../base/index.ts";
import type { ErrorEvent, ObjectEvent, WatchEvent } from "../../client/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";

export interface RetryWatcherOptions {
  /** The version to start from. Not "" or "0": such a watch sends the existing objects each time it is opened. */
  readonly resourceVersion: string;
  /** The minimum time between the starts of two watches. Default: 1 s. */
  readonly minRestartDelayMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
}

/** Changes, and perhaps an ERROR event at the end. Bookmarks are not passed on. */
export type RetriedEvent<T extends KubernetesObject> = ObjectEvent<T> | ErrorEvent;

const minWatchSeconds = 300;

/** Sends no request until it is read. It can be read once; leaving the loop releases everything. */
export class RetryWatcher<T extends KubernetesObject> implements AsyncIterable<RetriedEvent<T>> {
  readonly #source: Pick<ListerWatcher<T>, "watch">;
  readonly #options: RetryWatcherOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  #resourceVersion: string;

  constructor(source: Pick<ListerWatcher<T>, "watch">, options: RetryWatcherOptions, signal: AbortSignal) {
    const { resourceVersion, clock = systemClock, log = defaultLog } = options;
    if (resourceVersion === "" || resourceVersion === "0") {
      throw new KubeloopError(`a watch that is to go on cannot begin at resource version "${resourceVersion}"`, {
        reason: "Invalid",
        retry: "never",
      });
    }
    this.#source = source;
    this.#options = options;
    this.#resourceVersion = resourceVersion;
    this.#clock = clock;
    this.#log = log;
    this.#signal = signal;
  }

  /** The last version that was seen. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RetriedEvent<T>, void, undefined> {
    const { minRestartDelayMs = 1000 } = this.#options;
    for (;;) {
      const startedMs = this.#clock.monotonic();
      const end = yield* this.#watchOnce();
      if (end.kind === "over") return;
      const pauseMs = Math.max(end.delayMs, startedMs + minRestartDelayMs - this.#clock.monotonic());
      if (pauseMs > 0) await this.#clock.sleep(pauseMs, this.#signal);
    }
  }

  async *#watchOnce(): AsyncGenerator<RetriedEvent<T>, End, undefined> {
    try {
      for await (const batch of this.#open().batches()) {
        for (const event of batch) {
          const streamError = errorIn(event);
          if (streamError !== undefined) {
            if (streamError.isFinal) yield streamError.event;
            return streamError.isFinal ? over : this.#again(new StatusError(streamError.event.object));
          }
          if (event.type !== "BOOKMARK" && event.type !== "ERROR") yield event;
          this.#advance(event);
        }
      }
      return this.#again(undefined);
    } catch (error) {
      if (isAborted(error, this.#signal)) throw error;
      const refusal = isFinal(error) ? findStatusError(error) : undefined;
      if (refusal === undefined) return this.#again(error);
      yield { type: "ERROR", object: refusal.status };
      return over;
    }
  }

  #open() {
    this.#signal.throwIfAborted();
    const { random = systemRandom } = this.#options;
    const timeoutSeconds = Math.floor(minWatchSeconds * (1 + random.next()));
    const request = { resourceVersion: this.#resourceVersion, sendInitialEvents: false, timeoutSeconds };
    return this.#source.watch(request, this.#signal);
  }

  #advance(event: WatchEvent<T>): void {
    if (event.type !== "ERROR") this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  #again(error: unknown): End {
    this.#log.debug("reopening the watch", { resourceVersion: this.#resourceVersion, error });
    return { kind: "again", delayMs: retryAfterMs(error) ?? 0 };
  }
}

type End = { readonly kind: "over" } | { readonly kind: "again"; readonly delayMs: number };
const over: End = { kind: "over" };

interface StreamError {
  readonly event: ErrorEvent;
  readonly isFinal: boolean;
}

/** Returns the ERROR event of the server, or one for an event without a resourceVersion, because the watch could not be continued. */
function errorIn<T extends KubernetesObject>(event: WatchEvent<T>): StreamError | undefined {
  if (event.type === "ERROR") return { event, isFinal: isFinal(new StatusError(event.object)) };
  if (event.object.metadata?.resourceVersion) return undefined;
  // Continuing from an earlier version would repeat events; from a later one, lose events.
  const { status } = newInternalError(new Error("the object of a watch event has no resource version"));
  return { event: { type: "ERROR", object: status }, isFinal: true };
}

function isFinal(error: unknown): boolean {
  return isResourceExpired(error) || isUnauthorized(error) || isForbidden(error);
}
