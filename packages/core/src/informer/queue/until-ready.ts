// How a consumer of a queue waits for its next batch.
import type { ConditionVariable } from "../../base/condition-variable.ts";

/** What a consumer waits for. */
interface Awaited {
  readonly size: number;
  readonly isClosed: boolean;
}

/** True as soon as there is something to take; false once closed and empty. Rejects when the signal aborts. */
export async function untilReady(queue: Awaited, arrivals: ConditionVariable, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted();
    if (queue.size > 0) return true;
    if (queue.isClosed) return false;
    await arrivals.wait(signal);
  }
}
