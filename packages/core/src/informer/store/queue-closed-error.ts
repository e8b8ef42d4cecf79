// How every queue of this layer refuses once it has ended: client-go's ErrFIFOClosed.
import { KubeloopError } from "../../base/index.ts";

/** The queue, or heap, is closed: nothing is left to take and nothing more will come. */
export class QueueClosedError extends KubeloopError {
  constructor(what: "queue" | "heap" = "queue") {
    super(`${what} is closed`, { reason: "Closed", retry: "never" });
  }
}
