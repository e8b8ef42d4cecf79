// What can go wrong with a queue: it was built wrongly, or it has ended.
// What has no key is refused with the store's KeyError.
import { KubeloopError } from "../../base/index.ts";

/** Nothing is left to take and nothing more will come. */
export class QueueClosedError extends KubeloopError {
  constructor() {
    super("queue is closed", { reason: "Closed", retry: "never" });
  }
}

/** Options that contradict each other. */
export class InvalidQueueError extends KubeloopError {
  constructor(fault: string) {
    super(fault, { reason: "Invalid", retry: "never" });
  }
}
