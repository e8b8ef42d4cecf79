// Implements client-go's Pop with `take` and `done`: waits for a batch, processes it, and returns the result. Meant for one
// consumer; two consumers that pop at the same time process concurrently.
import { QueueClosedError } from "../store/queue-closed-error.ts";

/** A queue whose batches are of type B. */
interface Source<B> {
  ready(signal: AbortSignal): Promise<boolean>;
  take(): B | undefined;
  done(batch: B): void;
}

/** Throws a QueueClosedError if the queue is closed and empty, or the error of `work`; also then the batch is done. */
export async function popFrom<B, R>(
  queue: Source<B>,
  work: (batch: B) => R | Promise<R>,
  signal: AbortSignal,
): Promise<R> {
  while (await queue.ready(signal)) {
    const batch = queue.take();
    // Another consumer took the item first.
    if (batch === undefined) continue;
    try {
      return await work(batch);
    } finally {
      queue.done(batch);
    }
  }
  throw new QueueClosedError();
}
