// A bounded queue between one or more senders and one reader, with back-pressure: `send` waits while the channel is full.
// Values come out in the order they were sent. Values sent before `close` can still be read after it.
import { type Deferred, deferred } from "./deferred.ts";
import { KubeloopError } from "./errors.ts";
import { RingBuffer } from "./ring-buffer.ts";
import { untilAborted } from "./signal.ts";

interface WaitingSender {
  readonly admitted: Deferred<void>;
}

type End = { readonly error: unknown } | { readonly error?: never };

export class Channel<T> implements AsyncIterable<T> {
  readonly capacity: number;
  readonly #buffer = new RingBuffer<T>();
  readonly #senders = new Set<WaitingSender>();
  #reader: Deferred<void> | undefined;
  #end: End | undefined;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new KubeloopError("channel capacity must be a whole number of at least 1", { reason: "Invalid" });
    }
    this.capacity = capacity;
  }

  get size(): number {
    return this.#buffer.size;
  }

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Adds the value if there is room. Returns false if the channel is full or closed, or if other senders wait. */
  trySend(value: T): boolean {
    // Senders that wait in `send` were first.
    if (this.#end !== undefined || this.#buffer.size >= this.capacity || this.#senders.size > 0) return false;
    this.#put(value);
    return true;
  }

  /** Waits for room. Rejects when the channel is closed, or with the signal's reason; in both cases the value was not sent. */
  async send(value: T, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.trySend(value)) return;
    this.#refuseWhenClosed();
    const sender: WaitingSender = { admitted: deferred() };
    this.#senders.add(sender);
    try {
      // No other sender can take the free slot in between: trySend refuses while senders wait, and senders are admitted one by one.
      await untilAborted(sender.admitted.promise, signal);
      this.#refuseWhenClosed();
      this.#put(value);
    } finally {
      this.#senders.delete(sender);
      this.#admitNext();
    }
  }

  /** Returns the next value, or `undefined` at the end. Throws the error that the channel was closed with. */
  async receive(signal: AbortSignal): Promise<{ readonly value: T } | undefined> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#buffer.size > 0) {
        const value = this.#buffer.shift() as T;
        this.#admitNext();
        return { value };
      }
      if (this.#end !== undefined) {
        if ("error" in this.#end) throw this.#end.error;
        return undefined;
      }
      if (this.#reader !== undefined) {
        throw new KubeloopError("channel already has a reader", { reason: "Invalid", retry: "never" });
      }
      this.#reader = deferred();
      try {
        await untilAborted(this.#reader.promise, signal);
      } finally {
        this.#reader = undefined;
      }
    }
  }

  /** Ends the channel. If an error is given, the reader gets it after the last value. A second close does nothing. */
  close(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    this.#reader?.resolve();
    for (const sender of this.#senders) sender.admitted.resolve();
  }

  /** Reads to the end. Leaving the loop early closes the channel and drops the values still in it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const next = await this.receive(neverAborted);
        if (next === undefined) return;
        yield next.value;
      }
    } finally {
      this.close();
      this.#buffer.clear();
    }
  }

  #put(value: T): void {
    this.#buffer.push(value);
    this.#reader?.resolve();
  }

  #admitNext(): void {
    if (this.#buffer.size >= this.capacity) return;
    const [first] = this.#senders;
    first?.admitted.resolve();
  }

  #refuseWhenClosed(): void {
    if (this.#end === undefined) return;
    throw new KubeloopError("channel is closed", { reason: "Closed", retry: "never", cause: this.#end.error });
  }
}

const neverAborted = new AbortController().signal;
