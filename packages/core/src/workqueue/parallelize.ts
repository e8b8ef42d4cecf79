// Pieces of work side by side, so many at a time. Ends when all are done; stops handing out pieces when the signal aborts, and
// then waits for those under way. The first failure stops the rest and is thrown.
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
  // With one worker there is nobody else to stop when it fails, so it needs no scope around it.
  if (workers <= 1) return await worker(signal);
  await runTogether(signal, new Array(workers).fill(worker));
}
