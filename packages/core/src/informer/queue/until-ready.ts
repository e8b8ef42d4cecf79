// Waits until a queue has a batch to take.
import type { ConditionVariable } from "../../base/condition-variable.ts";

/** What a consumer waits for. */
interface Awaited {
  readonly size: number;
  readonly isClosed: boolean;
}

/** Resolves to true as soon as there is a batch to take, to false if closed and empty. Rejects when the signal aborts. */
export async function untilReady(queue: Awaited, arrivals: ConditionVariable, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted();
    if (queue.size > 0) return true;
    if (queue.isClosed) return false;
    await arrivals.wait(signal);
  }
}
