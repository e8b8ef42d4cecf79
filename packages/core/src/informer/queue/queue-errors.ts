// How a queue refuses to be built. What has no key is refused with the store's KeyError, and a closed queue with its QueueClosedError.
import { KubeloopError } from "../../base/index.ts";

/** Options that contradict each other. */
export class InvalidQueueError extends KubeloopError {
  constructor(fault: string) {
    super(fault, { reason: "Invalid", retry: "never" });
  }
}
