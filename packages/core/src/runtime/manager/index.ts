// `manager`: starts the parts of a process in order, and stops them in reverse order. Start with manager.ts; the order is the array in
// runnable.ts. docs/manager.md is a tour.

export type { ManagerState } from "./lifecycle.ts";
export {
  type Added,
  type AddedController,
  Manager,
} from "./manager.ts";
export type { ManagerElectionOptions } from "./manager-election.ts";
export { ManagerError, type RunnableFailure } from "./manager-error.ts";
export type { AddControllerOptions, ManagerOptions, ServerPlace } from "./manager-options.ts";
export type { MemberState } from "./member.ts";
export { openProcessMetrics, type ProcessReader } from "./process-metrics.ts";
export { type GroupName, groupNames, type Placement, type Runnable } from "./runnable.ts";
export { openStopSignal, type SignalSource, type StopSignal, type StopSignalOptions } from "./stop-signal.ts";
