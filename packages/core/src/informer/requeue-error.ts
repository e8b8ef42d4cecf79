// Thrown by whoever works on what a FIFO or a DeltaFIFO gave out: put it back, unless something newer waits under its key.
import { KubeloopError } from "../base/index.ts";

export class RequeueError extends KubeloopError {
  constructor(cause?: unknown) {
    super("put back into the queue", { reason: "Requeue", cause });
  }
}
