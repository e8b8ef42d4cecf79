// client-go's ErrRequeue: a function that processes an item of a FIFO, a DeltaFIFO or a Controller throws it to put the item
// back, unless a newer one waits under its key. `pop` rejects with the cause, and a controller reports the cause; without
// a cause nothing has failed.
import { KubeloopError } from "../base/index.ts";

export class RequeueError extends KubeloopError {
  constructor(cause?: unknown) {
    super("put back into the queue", { reason: "Requeue", cause });
  }
}
