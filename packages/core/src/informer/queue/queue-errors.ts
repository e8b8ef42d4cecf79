// The error of a queue's constructor. An object without a key is a KeyError of the store, and a closed queue a QueueClosedError.
import { KubeloopError } from "../../base/index.ts";

/** Options that contradict each other. */
export class InvalidQueueError extends KubeloopError {
  constructor(fault: string) {
    super(fault, { reason: "Invalid", retry: "never" });
  }
}
