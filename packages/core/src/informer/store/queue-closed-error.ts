// The error of every queue of this layer after it was closed: client-go's ErrFIFOClosed.
import { KubeloopError } from "../../base/index.ts";

/** The queue or heap is closed and empty, and nothing more will be added. */
export class QueueClosedError extends KubeloopError {
  constructor(what: "queue" | "heap" = "queue") {
    super(`${what} is closed`, { reason: "Closed", retry: "never" });
  }
}
