// Drives a decoder with a body as it arrives: in small pieces, with a turn for everyone else every few milliseconds, and
// only as fast as the reader asks, so that back-pressure reaches the source.
//
// Promises: what was decoded before a fault is handed out before the fault is thrown; a reader that leaves early closes
// the source. Not promised: that an abort interrupts a source that is waiting. Whoever opened it gave it the signal.
import { Buffer } from "node:buffer";
import type { Clock } from "../../base/clock.ts";
import { TimeSlice } from "./time-slice.ts";

/** A synchronous machine: bytes in, values out. */
export interface ChunkDecoder<T> {
  /** Appends what the chunk completes to `values`. Keeps nothing of the chunk. */
  push(chunk: Buffer, values: T[]): void;
  /** The body has ended. Appends what was still kept; throws if the body should not have ended. */
  end(values: T[]): void;
}

export interface SliceOptions {
  readonly clock: Clock;
  /** How long the event loop may be held. Default 4 ms. */
  readonly sliceMs?: number;
}

// As large as what a socket gives at once; parsed in about a millisecond.
const pieceBytes = 64 * 1024;

export async function* decodeStream<T>(
  body: AsyncIterable<Uint8Array>,
  decoder: ChunkDecoder<T>,
  options: SliceOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly T[], void, undefined> {
  const slice = new TimeSlice(options.clock, options.sliceMs);
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      signal.throwIfAborted();
      const values: T[] = [];
      const failure = attempt(() => decoder.push(pieceOf(chunk, from), values));
      if (values.length > 0) yield values;
      if (failure !== undefined) throw failure.error;
      if (slice.isUsedUp()) await slice.rest();
    }
  }
  signal.throwIfAborted();
  const values: T[] = [];
  const failure = attempt(() => decoder.end(values));
  if (values.length > 0) yield values;
  if (failure !== undefined) throw failure.error;
}

function attempt(work: () => void): { readonly error: unknown } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function pieceOf(chunk: Uint8Array, from: number): Buffer {
  if (chunk.length <= pieceBytes && Buffer.isBuffer(chunk)) return chunk;
  return Buffer.from(chunk.buffer, chunk.byteOffset + from, Math.min(pieceBytes, chunk.length - from));
}
