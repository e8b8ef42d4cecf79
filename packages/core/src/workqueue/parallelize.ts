// Runs pieces of work in parallel, at most `workers` at a time, and returns when all are done. When the signal aborts, no further piece is
// started, and the function waits for the running ones. The first failure stops the rest and is thrown.
import { runTogether } from "../base/index.ts";

export interface ParallelOptions {
  readonly workers: number;
  readonly pieces: number;
}

export async function parallelizeUntil(
  options: ParallelOptions,
  work: (piece: number, signal: AbortSignal) => Promise<void> | void,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const worker = async (ending: AbortSignal) => {
    while (next < options.pieces && !ending.aborted) await work(next++, ending);
  };
  const workers = Math.min(options.workers, options.pieces);
  // With a single worker there is no other worker to stop on failure, so no scope is needed.
  if (workers <= 1) return await worker(signal);
  await runTogether(signal, new Array(workers).fill(worker));
}
