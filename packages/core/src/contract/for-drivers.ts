// Exports of the contract that drivers, test helpers and `defineController` need in addition to index.ts. They are not part of the public API
// of the package.
export { editVerb, isCovered, isReadCovered } from "./access.ts";
export {
  type DeleteActionOptions,
  type EditAction,
  type EventAction,
  isDryRun,
  keyOfAction,
  type PatchAction,
  type PatchBody,
  type Preconditions,
  type Tolerance,
  type WriteActionOptions,
} from "./actions.ts";
export { type EditOptions, hasStatusSubresource } from "./edits.ts";
export { plainSnapshot } from "./plain-snapshot.ts";
export type { Ask, Chain, PlanOptions, Step } from "./plan.ts";
export type { Predicate } from "./predicates.ts";
export { type Procedure, type ProcedureContext, procedureQueue } from "./procedure.ts";
export { Answers, answered, type LiveList, type LiveListOptions, type LiveView, unanswered } from "./questions.ts";
export type { ControllerQueue, QueueOptions, QueueRules, RetryPolicy } from "./queue.ts";
export { isListed, resourceId, type SnapshotListOptions } from "./snapshot.ts";
export { isTerminal } from "./terminal-error.ts";
export type { ChangeCause, WatchOptions } from "./watches.ts";
export { findDifferences, sentFields } from "./written-differences.ts";
