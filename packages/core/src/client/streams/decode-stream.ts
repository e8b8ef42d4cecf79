// Feeds a decoder with a body as it arrives: in small pieces, yielding to the event loop every few milliseconds, and
// only as fast as the reader reads, so that back-pressure reaches the source.
//
// Promises: values decoded before a fault are returned before the fault is thrown; a reader that stops early closes
// the source. Not promised: that an abort interrupts a waiting source. The source must listen to the signal itself.
import { Buffer } from "node:buffer";
import type { Clock } from "../../base/clock.ts";
import { YieldBudget } from "../../base/yield-budget.ts";
import { type BatchSource, batchIterator } from "./batch-iterator.ts";

/** A synchronous decoder: bytes in, values out. */
export interface ChunkDecoder<T> {
  /** Appends the values that the chunk completes to `values`. Copies what it needs later, so the chunk may be reused. */
  push(chunk: Buffer, values: T[]): void;
  /** The body has ended. Appends the last values; throws if the body is incomplete. */
  end(values: T[]): void;
}

export interface SliceOptions {
  readonly clock: Clock;
  /** How long the decoder may run without yielding. Default: 4 ms. */
  readonly budgetMs?: number;
}

// About what a socket delivers at once; parsed in about a millisecond.
const pieceBytes = 64 * 1024;
const nothing = new Uint8Array();

export function decodeStream<T>(
  body: AsyncIterable<Uint8Array>,
  decoder: ChunkDecoder<T>,
  options: SliceOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly T[], void, undefined> {
  return batchIterator(new DecodedStream(body, decoder, options, signal));
}

class DecodedStream<T> implements BatchSource<T> {
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #decoder: ChunkDecoder<T>;
  readonly #options: SliceOptions;
  readonly #signal: AbortSignal;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  #budget: YieldBudget | undefined;
  #chunk: Uint8Array = nothing;
  /** How many bytes of the chunk were decoded. */
  #done = 0;
  #hasBodyEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(body: AsyncIterable<Uint8Array>, decoder: ChunkDecoder<T>, options: SliceOptions, signal: AbortSignal) {
    this.#body = body;
    this.#decoder = decoder;
    this.#options = options;
    this.#signal = signal;
  }

  async draw(): Promise<readonly T[] | undefined> {
    this.#budget ??= new YieldBudget(this.#options.clock, this.#options.budgetMs);
    const values: T[] = [];
    while (values.length === 0) {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#done < this.#chunk.length) {
        if (this.#budget.isUsedUp()) await this.#budget.yield();
        this.#signal.throwIfAborted();
        this.#decode(values);
      } else if (this.#hasBodyEnded) {
        return undefined;
      } else {
        await this.#nextChunk(values);
      }
    }
    return values;
  }

  async leave(): Promise<void> {
    if (!this.#hasBodyEnded) await this.#chunks?.return?.();
  }

  async #nextChunk(values: T[]): Promise<void> {
    this.#chunks ??= this.#body[Symbol.asyncIterator]();
    let next: IteratorResult<Uint8Array>;
    try {
      next = await this.#chunks.next();
    } catch (error) {
      this.#hasBodyEnded = true;
      throw error;
    }
    if (next.done !== true) {
      this.#chunk = next.value;
      this.#done = 0;
      return;
    }
    this.#hasBodyEnded = true;
    this.#signal.throwIfAborted();
    this.#attempt(() => this.#decoder.end(values));
  }

  #decode(values: T[]): void {
    const piece = pieceOf(this.#chunk, this.#done);
    this.#done += piece.length;
    this.#attempt(() => this.#decoder.push(piece, values));
  }

  /** A fault is thrown after the values before it were returned. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failure = { error };
    }
  }
}

function pieceOf(chunk: Uint8Array, from: number): Buffer {
  if (chunk.length <= pieceBytes && Buffer.isBuffer(chunk)) return chunk;
  return Buffer.from(chunk.buffer, chunk.byteOffset + from, Math.min(pieceBytes, chunk.length - from));
}
