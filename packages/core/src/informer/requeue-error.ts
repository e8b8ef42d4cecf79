// Thrown by whoever works on what a FIFO, a DeltaFIFO or a Controller gave out: put it back, unless something newer waits under
// its key. What `pop` rejects with, and a controller reports, is the cause; without one nothing has failed. client-go's
// ErrRequeue.
import { KubeloopError } from "../base/index.ts";

export class RequeueError extends KubeloopError {
  constructor(cause?: unknown) {
    super("put back into the queue", { reason: "Requeue", cause });
  }
}
