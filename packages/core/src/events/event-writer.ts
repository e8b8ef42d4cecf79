// Writes events to a sink, several at a time, and retries failed writes. write-decision.ts decides; this file acts.
//
// Promises
// - `offer` neither waits nor throws. At most `queueSize` objects wait to be written, including those that are retried; further ones
//   are dropped and counted. A newer write of an object that waits replaces the older one and needs no room.
// - One object is written by one writer at a time, in the order it was offered. An object that cannot be written does not delay others.
// - When aborted, it writes the waiting objects, one try each, within `flushMs`; the rest is dropped and counted.
import { type KubernetesObject, keyOf } from "../api/index.ts";
import { type Clock, type Log, type Random, TaskScope, timeoutSignal, toError, untilAborted } from "../base/index.ts";
import { RateLimitingQueue } from "../workqueue/index.ts";
import type { EventObserver } from "./event-metrics.ts";
import type { EventWrites } from "./event-sink.ts";
import type { EventWrite } from "./event-write.ts";
import { decideAfterFailure, type WritePolicy, type WriteVerb } from "./write-decision.ts";

export interface EventWriterOptions<T> {
  readonly sink: EventWrites<T>;
  /** Returns the patch to send for an event that was written before. */
  readonly patchOf: (event: T) => object;
  /** Returns the event with another name, because its name is taken; the tracker of `key` must remember the new name. */
  readonly rename: (key: string, event: T) => T;
  readonly observer: EventObserver;
  readonly limits: WriterLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface WriterLimits extends WritePolicy {
  /** How many objects may wait to be written. */
  readonly queueSize: number;
  /** How many are written at once. */
  readonly writers: number;
  /** The timeout of one request. */
  readonly requestTimeoutMs: number;
  /** How long the writes of waiting objects may take after `run` is aborted. */
  readonly flushMs: number;
}

interface Pending<T> {
  /** The newest desired state. */
  write: EventWrite<T>;
  verb: WriteVerb;
  tries: number;
  mayExist: boolean;
}

export class EventWriter<T extends KubernetesObject> {
  readonly #options: EventWriterOptions<T>;
  readonly #queue: RateLimitingQueue<string>;
  readonly #pending = new Map<string, Pending<T>>();
  #state: "open" | "stopping" | "closed" = "open";
  /** How many objects were dropped since the queue became full. */
  #overflowed = 0;

  constructor(options: EventWriterOptions<T>) {
    this.#options = options;
    this.#queue = new RateLimitingQueue({ clock: options.clock, name: "events" });
  }

  offer(write: EventWrite<T>): void {
    const key = keyOf(write.event);
    const pending = this.#pending.get(key);
    // The writer that has this object, or its retry, will use the newest write.
    if (pending !== undefined) pending.write = write;
    else if (this.#state === "closed") this.#leave(key);
    else if (this.#pending.size >= this.#options.limits.queueSize) this.#overflow(key);
    else {
      this.#pending.set(key, { write, verb: write.isRepeat ? "patch" : "create", tries: 0, mayExist: false });
      this.#queue.add(key);
      this.#count();
    }
  }

  /** Runs until aborted; then writes the waiting objects. */
  async run(signal: AbortSignal, beforeFlush: () => void = () => {}): Promise<void> {
    // Aborting the signal must not abort running requests: they may continue until the flush ends.
    const scope = new TaskScope(new AbortController().signal);
    for (let i = 0; i < this.#options.limits.writers; i++) void scope.spawn((working) => this.#work(working));
    await untilAborted(new Promise<void>(() => {}), signal).catch(() => {});
    beforeFlush();
    await this.#flush(scope);
    this.#state = "closed";
    for (const key of this.#pending.keys()) this.#leave(key);
    this.#pending.clear();
    this.#count();
  }

  async #flush(scope: TaskScope): Promise<void> {
    const { clock, limits } = this.#options;
    this.#state = "stopping";
    using limited = timeoutSignal(scope.signal, limits.flushMs, { clock, what: "writing the last events" });
    for (const key of this.#pending.keys()) this.#queue.add(key);
    try {
      await this.#queue.drain(limited.signal);
    } catch {
      // The flush timed out: the objects that are still pending are dropped.
    }
    await scope[Symbol.asyncDispose]();
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.get(signal); key !== undefined; key = await this.#queue.get(signal)) {
      try {
        const pending = this.#pending.get(key);
        if (pending !== undefined) await this.#write(key, pending, signal);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  /** Writes until the stored event is up to date, has to wait for a retry, or is dropped. */
  async #write(taken: string, pending: Pending<T>, signal: AbortSignal): Promise<void> {
    for (let key = taken; ; ) {
      const { write, verb, tries } = pending;
      const error = await this.#attempt(verb, write.event, signal);
      if (signal.aborted) return;
      if (error === undefined) {
        this.#options.observer.written(verb);
        if (pending.write === write) return this.#forget(key);
        // The event occurred again meanwhile.
        pending.verb = "patch";
        pending.tries = 0;
        continue;
      }
      const { limits, random, observer, log } = this.#options;
      const isStopping = this.#state !== "open";
      const next = decideAfterFailure({ ...pending, error, isStopping, chance: random.next() }, limits);
      pending.tries = tries + 1;
      switch (next.next) {
        case "again":
          pending.verb = next.verb;
          break;
        case "rename":
          key = this.#rename(key, pending);
          break;
        case "retry":
          pending.mayExist = next.mayExist;
          observer.retried();
          log.debug("event not written, will be retried", { event: key, error });
          return this.#queue.addAfter(key, next.delayMs);
        default:
          this.#forget(key);
          observer.dropped(next.why);
          return log[next.isUnexpected ? "warn" : "debug"]("event not written", { event: key, why: next.why, error });
      }
    }
  }

  async #attempt(verb: WriteVerb, event: T, signal: AbortSignal): Promise<Error | undefined> {
    const { sink, patchOf, clock, limits } = this.#options;
    using limited = timeoutSignal(signal, limits.requestTimeoutMs, { clock, what: "writing an event" });
    try {
      const sent =
        verb === "create" ? sink.create(event, limited.signal) : sink.patch(event, patchOf(event), limited.signal);
      // A sink that ignores its signal must not keep the writer from stopping.
      await untilAborted(sent, limited.signal);
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  /** Continues under another name. The writer that has the object keeps it. */
  #rename(key: string, pending: Pending<T>): string {
    const { write } = pending;
    pending.write = { ...write, event: this.#options.rename(write.key, write.event) };
    const renamed = keyOf(pending.write.event);
    this.#pending.delete(key);
    this.#pending.set(renamed, pending);
    return renamed;
  }

  #forget(key: string): void {
    this.#pending.delete(key);
    this.#count();
    if (this.#overflowed === 0 || this.#pending.size > this.#options.limits.queueSize / 2) return;
    this.#options.log.warn("events were dropped because too many waited to be written", { count: this.#overflowed });
    this.#overflowed = 0;
  }

  /** Logs once when dropping begins and once when it ends, not for each event, because that could flood the log. */
  #overflow(key: string): void {
    const { observer, log } = this.#options;
    observer.dropped("full");
    if (this.#overflowed++ === 0)
      log.warn("events are being dropped because too many wait to be written", { event: key });
  }

  #leave(key: string): void {
    const { observer, log } = this.#options;
    observer.dropped("stopped");
    log.warn("event not written", { event: key, why: "stopped" });
  }

  #count(): void {
    this.#options.observer.pending(this.#pending.size);
  }
}
