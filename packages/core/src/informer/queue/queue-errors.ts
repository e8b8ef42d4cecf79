// What can go wrong with a queue: it was built wrongly, it has ended, or the one who works on an item wants it back there.
// What has no key is refused with the store's KeyError.
import { KubeloopError } from "../../base/index.ts";

/** Nothing is left to take and nothing more will come. */
export class QueueClosedError extends KubeloopError {
  constructor() {
    super("queue is closed", { reason: "Closed", retry: "never" });
  }
}

/** Thrown by the work given to `DeltaFIFO.pop`: put the item back, unless something newer is queued for its key. */
export class RequeueError extends KubeloopError {
  constructor(cause?: unknown) {
    super("put back into the queue", { reason: "Requeue", cause });
  }
}

/** Options that contradict each other. */
export class InvalidQueueError extends KubeloopError {
  constructor(fault: string) {
    super(fault, { reason: "Invalid", retry: "never" });
  }
}
