// Writes events, several at a time, and tries again what did not work. write-decision.ts has the rules; this carries them out.
//
// Promises
// - `offer` neither waits nor throws. So many objects may wait to be written, those that are being retried included; one more
//   is dropped and counted. A change of one that waits takes its place and costs nothing.
// - One object is written by one writer at a time, in the order it was offered. One that cannot be written holds up no other.
// - When told to stop it writes what waits, one try each, within a bound; what is left then is dropped and counted.
import { type KubernetesObject, keyOf } from "../api/index.ts";
import { type Clock, type Log, type Random, TaskScope, timeoutSignal, toError, untilAborted } from "../base/index.ts";
import { RateLimitingQueue } from "../workqueue/index.ts";
import type { EventObserver } from "./event-metrics.ts";
import type { EventWrites } from "./event-sink.ts";
import type { EventWrite } from "./event-write.ts";
import { afterFailure, type WritePolicy, type WriteVerb } from "./write-decision.ts";

export interface EventWriterOptions<T> {
  readonly sink: EventWrites<T>;
  /** What is sent of an event that was written before. */
  readonly patchOf: (event: T) => object;
  /** Another name for an event whose own is taken; whoever remembers `key` by its name is to be told. */
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
  /** For one request. */
  readonly requestTimeoutMs: number;
  /** For everything that waits when told to stop. */
  readonly flushMs: number;
}

interface Pending<T> {
  /** As it should be: the newest. */
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
  /** How many were dropped since too many waited. */
  #overflowed = 0;

  constructor(options: EventWriterOptions<T>) {
    this.#options = options;
    this.#queue = new RateLimitingQueue({ clock: options.clock, name: "events" });
  }

  offer(write: EventWrite<T>): void {
    const key = keyOf(write.event);
    const pending = this.#pending.get(key);
    // Whoever has it in hand, or waits to try it again, will find the newest.
    if (pending !== undefined) pending.write = write;
    else if (this.#state === "closed") this.#leave(key);
    else if (this.#pending.size >= this.#options.limits.queueSize) this.#overflow(key);
    else {
      this.#pending.set(key, { write, verb: write.isRepeat ? "patch" : "create", tries: 0, mayExist: false });
      this.#queue.add(key);
      this.#count();
    }
  }

  /** Works until aborted; then writes what waits. */
  async run(signal: AbortSignal, beforeFlush: () => void = () => {}): Promise<void> {
    // Requests under way are not to be cut off by the signal: they have until the flush is over.
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
      // Time is up: what is still pending is dropped.
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

  /** Until it is as it should be, has to wait, or is given up. */
  async #write(taken: string, pending: Pending<T>, signal: AbortSignal): Promise<void> {
    for (let key = taken; ; ) {
      const { write, verb, tries } = pending;
      const error = await this.#attempt(verb, write.event, signal);
      if (signal.aborted) return;
      if (error === undefined) {
        this.#options.observer.written(verb);
        if (pending.write === write) return this.#forget(key);
        // It happened again meanwhile.
        pending.verb = "patch";
        pending.tries = 0;
        continue;
      }
      const { limits, random, observer, log } = this.#options;
      const isStopping = this.#state !== "open";
      const next = afterFailure({ ...pending, error, isStopping, chance: random.next() }, limits);
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
          log.debug("event not written, will be tried again", { event: key, error });
          return this.#queue.addAfter(key, next.delayMs);
        default:
          this.#forget(key);
          observer.dropped(next.why);
          return log[next.isNews ? "warn" : "debug"]("event not written", { event: key, why: next.why, error });
      }
    }
  }

  async #attempt(verb: WriteVerb, event: T, signal: AbortSignal): Promise<Error | undefined> {
    const { sink, patchOf, clock, limits } = this.#options;
    using limited = timeoutSignal(signal, limits.requestTimeoutMs, { clock, what: "writing an event" });
    try {
      const sent =
        verb === "create" ? sink.create(event, limited.signal) : sink.patch(event, patchOf(event), limited.signal);
      // A sink that does not listen to its signal must not keep us from stopping.
      await untilAborted(sent, limited.signal);
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  /** It goes on as another object; whoever has it in hand still has. */
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
    this.#options.log.warn("events were dropped: too many waited to be written", { count: this.#overflowed });
    this.#overflowed = 0;
  }

  /** Told once when it begins and once when it is over, not for each: whoever has too many events has too many lines, too. */
  #overflow(key: string): void {
    const { observer, log } = this.#options;
    observer.dropped("full");
    if (this.#overflowed++ === 0) log.warn("events are being dropped: too many wait to be written", { event: key });
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
