// Taking, working and being done in one call, in the manner of client-go's Pop: waits for a batch, works on it, and gives
// what the work gave. Meant for one consumer; the work of two that pop at a time runs side by side.
import { QueueClosedError } from "../store/queue-closed-error.ts";

/** A queue whose batches are of type B. */
interface Source<B> {
  ready(signal: AbortSignal): Promise<boolean>;
  take(): B | undefined;
  done(batch: B): void;
}

/** Throws a QueueClosedError once the queue is closed and empty, and whatever the work throws: the batch is done even so. */
export async function popFrom<B, R>(
  queue: Source<B>,
  work: (batch: B) => R | Promise<R>,
  signal: AbortSignal,
): Promise<R> {
  while (await queue.ready(signal)) {
    const batch = queue.take();
    // Somebody else was quicker.
    if (batch === undefined) continue;
    try {
      return await work(batch);
    } finally {
      queue.done(batch);
    }
  }
  throw new QueueClosedError();
}
