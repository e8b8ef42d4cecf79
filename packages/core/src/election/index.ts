// `election`: leader election between several processes, with a Lease on the API server. Start with leader-elector.ts; the rules are in
// elector-step.ts.
//
// Promise: the work of two leaders does not overlap, as long as the rates of the clocks differ by less than the ratio of lease duration to renew
// deadline, and the work ends when its signal aborts. For all other cases there is the fencing token.
export { type ElectionObserver, electionMetrics } from "./election-metrics.ts";
export { defaultTimings, type ElectionTimings } from "./election-timings.ts";
export type { EndReason } from "./elector-step.ts";
export {
  type LeaderCallbacks,
  LeaderElector,
  type LeaderElectorOptions,
  type LeaseEventRecorder,
} from "./leader-elector.ts";
export type { Leadership } from "./leader-work.ts";
export { LeaseLock, type LeaseLockOptions, type LeaseStore } from "./lease-lock.ts";
export type { LeaseRecord, SeenLease } from "./lease-record.ts";
