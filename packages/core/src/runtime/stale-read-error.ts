// Thrown when a cache cannot answer a read yet. The driver requeues the key, and this is not a failure.
import { KubeloopError } from "../base/index.ts";

export class StaleReadError extends KubeloopError {
  constructor(what: string, why: string) {
    super(`${what} cannot be read: ${why}`, { reason: "StaleRead" });
  }
}
