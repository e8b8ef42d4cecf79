// A watch that goes on where it was when it ends or fails, for whoever has no cache: each change from a version on, once, in
// order. It gives up only when going on is impossible, or not allowed; what the server said then is the last event.
//
//   for await (const event of new RetryWatcher(source, { resourceVersion }, signal)) …
//
// Not promised: that nothing is missed after a 410. Whoever gets one has to list again.
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
  /** Where to begin. Not "" or "0": a watch from anywhere begins with what is there, each time anew. */
  readonly resourceVersion: string;
  /** Between the beginnings of two watches; 1 s unless given. */
  readonly minRestartDelayMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
}

/** What it hands out: changes, and at the very end perhaps a complaint. Bookmarks it keeps for itself. */
export type RetriedEvent<T extends KubernetesObject> = ObjectEvent<T> | ErrorEvent;

const minWatchSeconds = 300;

/** Nothing is asked for until it is read. It is read once; leaving the loop lets go of everything. */
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

  /** How far it has come. */
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
          const complaint = complaintOf(event);
          if (complaint !== undefined) {
            if (complaint.isFinal) yield complaint.event;
            return complaint.isFinal ? over : this.#again(new StatusError(complaint.event.object));
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
    this.#log.debug("watch is opened again", { resourceVersion: this.#resourceVersion, error });
    return { kind: "again", delayMs: retryAfterMs(error) ?? 0 };
  }
}

type End = { readonly kind: "over" } | { readonly kind: "again"; readonly delayMs: number };
const over: End = { kind: "over" };

interface StreamComplaint {
  readonly event: ErrorEvent;
  readonly isFinal: boolean;
}

/** What the server complained of; or what there is to complain of an event that does not say how far the watch has come. */
function complaintOf<T extends KubernetesObject>(event: WatchEvent<T>): StreamComplaint | undefined {
  if (event.type === "ERROR") return { event, isFinal: isFinal(new StatusError(event.object)) };
  if (event.object.metadata?.resourceVersion) return undefined;
  // Going on from an earlier version would tell things twice; from a later one, not at all.
  const { status } = newInternalError(new Error("the object of a watch event has no resource version"));
  return { event: { type: "ERROR", object: status }, isFinal: true };
}

function isFinal(error: unknown): boolean {
  return isResourceExpired(error) || isUnauthorized(error) || isForbidden(error);
}
