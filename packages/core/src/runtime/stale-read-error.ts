// Thrown when a cache cannot answer yet: the driver puts the key off, which is no failure.
import { KubeloopError } from "../base/index.ts";

export class StaleReadError extends KubeloopError {
  constructor(what: string, why: string) {
    super(`${what} cannot be read: ${why}`, { reason: "StaleRead" });
  }
}
