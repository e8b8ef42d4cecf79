// GET with `watch`: first, if asked for, everything there is; then everything that happens, in order, each once. A watcher is a place in
// the storage's log: one that reads too slowly finds its place forgotten and is ended, never skipped ahead.
//
// Promises
// - What was listed at revision N and what follows from N on have no gap and no overlap.
// - Headers go out at once; errors that come after them are ERROR messages, as a real server's.
// - Ends at its timeout, when the client goes, when its place is lost, or when its resource is no longer served. No timer or listener stays behind.
import { type KubernetesObject, newStatusError, newTooLargeResourceVersion } from "@kubeloop/core/api";
import { type Clock, deepFreeze, deferred, onAbort, type Random, randomBetween } from "@kubeloop/core/base";
import type { EventLog, Storage } from "../../storage/storage.ts";
import { waitUntilFresh } from "../../storage/wait-until-fresh.ts";
import { type Answer, errorMessage, type WatchMessage } from "../../wire/answer.ts";
import { statusOf } from "../../wire/respond.ts";
import { type ListOptions, listOptionsOf } from "../options/request-options.ts";
import { emptyObject } from "../registry/decode-value.ts";
import type { RequestScope } from "./request-scope.ts";
import { versionFault } from "./select-objects.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { messageOf } from "./watch-events.ts";

const minTimeoutMs = 30 * 60_000;
const bookmarkMs = 60_000;
/** A last bookmark so long before the end, so that the next watch can begin there. */
const lastBookmarkMs = 2_000;
const batchSize = 256;

export async function watch(scope: RequestScope): Promise<Answer> {
  const options = listOptionsOf(scope.request.query, true);
  const selection = selectionOf(scope, options);
  const wanted = readVersion(options.resourceVersion);
  const watching = new Watching(scope, { options, selection, wanted });
  // A list that waits for a version answers late, headers and all.
  if (options.sendInitialEvents === true) await watching.reachWanted(scope.signal);
  return { kind: "watch", watch: watching, presentation: scope.served.presentation };
}

interface WatchPlan {
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly wanted: number;
}

class Watching {
  readonly #scope: RequestScope;
  readonly #plan: WatchPlan;
  readonly #storage: Storage;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(scope: RequestScope, plan: WatchPlan) {
    this.#scope = scope;
    this.#plan = plan;
    this.#storage = scope.server.storage;
    this.#log = this.#storage.log;
    this.#clock = scope.server.clock.labelled({ kind: "background", name: "watch" });
    this.#random = scope.server.random;
  }

  async reachWanted(signal: AbortSignal): Promise<void> {
    await waitUntilFresh(this.#log, this.#plan.wanted, { clock: this.#clock, signal });
  }

  async *messages(signal: AbortSignal): AsyncGenerator<readonly WatchMessage[]> {
    const { options, wanted } = this.#plan;
    const begunMs = this.#clock.monotonic();
    const timeoutMs = this.#timeoutMs();
    const isInitial = options.sendInitialEvents ?? (options.resourceVersion === "" || options.resourceVersion === "0");
    let revision = wanted;
    if (isInitial) {
      if (wanted > this.#log.revision) {
        yield [errorMessage(tooLarge(wanted, this.#log.revision))];
        return;
      }
      const { prefix, onlyKey } = this.#plan.selection;
      // Of all keys that begin with the only one, that one is the first.
      const range = onlyKey === undefined ? { prefix } : { prefix: onlyKey, limit: 1 };
      const state = await this.#storage.list(this.#scope.served.collection, range);
      revision = state.revision;
      const fault = await this.#convertFault(state.objects, signal);
      if (fault !== undefined) {
        yield [fault];
        return;
      }
      yield* this.#initial(state.objects, signal);
      if (options.allowsBookmarks) yield [this.#bookmark(revision, true)];
    } else if (options.resourceVersion === "" || options.resourceVersion === "0") {
      revision = this.#log.revision;
    }
    yield* this.#follow(revision, begunMs + timeoutMs, signal);
  }

  async *#initial(objects: readonly KubernetesObject[], signal: AbortSignal): AsyncGenerator<readonly WatchMessage[]> {
    const { isAll, matches } = this.#plan.selection;
    let batch: WatchMessage[] = [];
    for (const object of objects) {
      if (!isAll && !matches(object)) continue;
      batch.push({ type: "ADDED", object });
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
      await this.#clock.yield();
      signal.throwIfAborted();
    }
    if (batch.length > 0) yield batch;
  }

  /** Where the selection looks at converted fields: why they cannot be converted, as the last message. */
  async #convertFault(objects: readonly KubernetesObject[], signal: AbortSignal): Promise<WatchMessage | undefined> {
    try {
      await this.#plan.selection.convertAll?.(objects, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(statusOf(error));
    }
  }

  async *#follow(from: number, endMs: number, signal: AbortSignal): AsyncGenerator<readonly WatchMessage[]> {
    const { collection } = this.#scope.served;
    const { selection, options } = this.#plan;
    const isAhead = from > this.#log.revision;
    let position = this.#log.positionAfter(collection, Math.min(from, this.#log.revision));
    if (position === undefined) {
      yield [errorMessage(forgotten(from))];
      return;
    }
    const alarm = new Alarm(this.#clock);
    using _end = alarm;
    using _listening = this.#log.onChange(collection, () => alarm.ring());
    using _aborting = onAbort(signal, () => alarm.ring());
    const { closing } = this.#scope.server;
    using _closing = onAbort(closing, () => alarm.ring());
    const removal = this.#scope.server.catalogue.removalOf(this.#scope.served);
    using _removal = onAbort(removal, () => alarm.ring());
    let due = options.allowsBookmarks ? this.#nextBookmark(endMs) : undefined;
    while (!signal.aborted && !closing.aborted && !removal.aborted) {
      const batch: WatchMessage[] = [];
      const begin: number = position;
      if (selection.convertAll !== undefined) {
        const fault = await this.#convertFault(this.#objectsFrom(begin), signal);
        if (fault !== undefined) {
          yield [fault];
          return;
        }
      }
      const end: number = selection.convertAll === undefined ? Number.POSITIVE_INFINITY : begin + batchSize;
      for (; batch.length < batchSize && position < end; position++) {
        const event = this.#log.at(collection, position);
        if (event === undefined) break;
        // Too slow: to go on would leave something out.
        if (event === "forgotten") return;
        if (isAhead && event.revision <= from) continue;
        const message = messageOf(event, selection);
        if (message !== undefined) batch.push(message);
      }
      if (batch.length > 0) {
        yield batch;
        continue;
      }
      // Nothing of what was read is this watcher's; there may be more.
      if (position === end) continue;
      const nowMs = this.#clock.monotonic();
      if (nowMs >= endMs) return;
      if (due !== undefined && nowMs >= due) {
        due = this.#nextBookmark(endMs);
        yield [this.#bookmark(Math.max(this.#log.revision, from), false)];
        continue;
      }
      await alarm.wait(Math.min(endMs, due ?? endMs));
    }
    // A client that gave up gets the reason; when the server closes or the resource is removed, the stream merely ends.
    signal.throwIfAborted();
  }

  /** Of the next events, as they were and as they are. */
  #objectsFrom(begin: number): readonly KubernetesObject[] {
    const objects: KubernetesObject[] = [];
    for (let position = begin; position < begin + batchSize; position++) {
      const event = this.#log.at(this.#scope.served.collection, position);
      if (event === undefined || event === "forgotten") break;
      for (const object of [event.before, event.after]) if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** Once a minute, and shortly before the end; undefined when there will be none any more. */
  #nextBookmark(endMs: number): number | undefined {
    const nowMs = this.#clock.monotonic();
    const last = endMs - lastBookmarkMs;
    if (last <= nowMs) return undefined;
    return Math.min(last, nowMs + this.#aboutMs(bookmarkMs));
  }

  /** So that not all watchers are told at once. */
  #aboutMs(ms: number): number {
    return ms * (1 - randomBetween(this.#random, 0, 0.1));
  }

  #timeoutMs(): number {
    const { timeoutSeconds } = this.#plan.options;
    if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1000;
    return randomBetween(this.#random, minTimeoutMs, 2 * minTimeoutMs);
  }

  #bookmark(revision: number, isInitialEnd: boolean): WatchMessage {
    const { conversion, codec, storedCodec } = this.#scope.served;
    // What is converted in batches, perhaps by others, are objects only: a bookmark has its version from the beginning.
    const { kind, apiVersion, ...empty } = emptyObject(conversion.kind === "batched" ? codec : storedCodec);
    const annotations = isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
    const metadata = { ...empty.metadata, resourceVersion: String(revision), ...annotations };
    // In order, and with all that its kind always has: it may be shown as a row of a table.
    return { type: "BOOKMARK", object: deepFreeze({ kind, apiVersion, ...empty, metadata }) };
  }
}

/** Lets one reader sleep until something rings, or until a time. A ring while nobody sleeps is kept for the next. */
class Alarm implements Disposable {
  readonly #clock: Clock;
  #isRung = false;
  #wake: (() => void) | undefined;
  /** Stays set from one sleep to the next: the time that ends a watch is far off, and seldom another. */
  #timer: { readonly untilMs: number; readonly timer: Disposable } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(untilMs: number): Promise<void> {
    if (!this.#isRung) {
      this.#setTimer(untilMs);
      const woken = deferred();
      this.#wake = () => woken.resolve();
      await woken.promise;
      this.#wake = undefined;
    }
    this.#isRung = false;
  }

  #setTimer(untilMs: number): void {
    if (this.#timer?.untilMs === untilMs) return;
    this.#timer?.timer[Symbol.dispose]();
    const timer = this.#clock.after(untilMs - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      this.ring();
    });
    this.#timer = { untilMs, timer };
  }

  [Symbol.dispose](): void {
    this.#timer?.timer[Symbol.dispose]();
    this.#wake?.();
  }
}

/** A watch that cannot begin at this version is a 500 here, not a 400: upstream's way. */
function readVersion(resourceVersion: string): number {
  if (resourceVersion === "") return 0;
  const message = versionFault(resourceVersion);
  if (message === undefined) return Number(resourceVersion);
  throw newStatusError({ code: 500, reason: "", message });
}

const forgotten = (revision: number) =>
  newStatusError({ code: 410, reason: "Expired", message: `too old resource version: ${revision}` });

const tooLarge = (wanted: number, current: number) =>
  newTooLargeResourceVersion(String(wanted), String(current), { retryAfterSeconds: 1 });
