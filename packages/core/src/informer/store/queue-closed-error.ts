// The error of every queue of this layer after it was closed: client-go's ErrFIFOClosed.
import { KubeloopError } from "../../base/index.ts";

/** The queue or heap is closed: nothing is left to pop, or (of a heap) nothing more can be added. */
export class QueueClosedError extends KubeloopError {
  constructor(what: "queue" | "heap" = "queue") {
    super(`${what} is closed`, { reason: "Closed", retry: "never" });
  }
}
