// `runtime`: carries contracts out. ControllerDriver runs one controller of any shape; apply.ts is the only place where controllers'
// effects happen; read-your-writes.ts keeps a key from being looked at with a cache older than its own writes.
export { ControllerDriver, type ControllerDriverOptions, type DriverState } from "./controller-driver.ts";
export { Ports } from "./ports.ts";
export { type Readiness, ReadYourWrites, type ReadYourWritesOptions, type WriteGate } from "./read-your-writes.ts";
export { PanicError } from "./reconcile.ts";
export type { UnsyncedSource } from "./watch-sources.ts";
