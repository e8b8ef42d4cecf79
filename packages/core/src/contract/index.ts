// `contract`: what a controller is, as types and pure functions: descriptor, read views, questions, actions, plan, outcome. Start
// with controller.ts; docs/adr/0007-controller-contract.md says why it is so.
//
// Not here: anything that does something. `runtime` carries a contract out.
export { type Access, isCovered, statusVerbs, subresourceVerbs, verbs } from "./access.ts";
export {
  type Action,
  type ActionBody,
  type ApplyAction,
  apply,
  type CreateAction,
  type CreateSubresourceAction,
  callPort,
  create,
  createSubresource,
  type DeleteAction,
  type DeleteActionOptions,
  type DeleteCollectionAction,
  type EventAction,
  isDryRun,
  mergePatch,
  type PatchAction,
  type PatchBody,
  type PortAction,
  type Preconditions,
  patch,
  patchStatus,
  printAction,
  recordEvent,
  remove,
  removeCollection,
  removeObject,
  type Tolerance,
  type UpdateAction,
  update,
  updateStatus,
  type WriteActionOptions,
} from "./actions.ts";
export {
  type Controller,
  type ControllerParts,
  keyed,
  type ModelParts,
  modelled,
  sweep,
  withQueues,
} from "./controller.ts";
export { dropFinalizer, type EditOptions, editObject, editStatus, hasStatus, putFinalizer } from "./edits.ts";
export { type ActionMatch, type ActionResult, type FoundAction, keyOfAction, Outcome } from "./outcome.ts";
export { type PlainSnapshotOptions, plainSnapshot } from "./plain-snapshot.ts";
export {
  type Ask,
  actionsOf,
  ask,
  type Decision,
  nothing,
  type Plan,
  type PlanOptions,
  plan,
  type Step,
  slowStart,
  unfinished,
  type Wake,
} from "./plan.ts";
export { definePort, type Port } from "./ports.ts";
export {
  and,
  annotationChanged,
  generationChanged,
  isResync,
  labelChanged,
  labelled,
  not,
  or,
  type Predicate,
  versionChanged,
} from "./predicates.ts";
export { type Hands, type Procedure, type ProcedureParts, type ProcedureResult, procedureQueue } from "./procedure.ts";
export {
  type Answer,
  Answers,
  answered,
  askPort,
  discover,
  type LiveList,
  type LiveListOptions,
  type LiveView,
  liveGet,
  liveGetMetadata,
  liveGetSubresource,
  liveList,
  liveListMetadata,
  type Question,
  unanswered,
} from "./questions.ts";
export {
  type ControllerQueue,
  type DecideContext,
  type Learned,
  type QueueOptions,
  type QueueParts,
  queue,
  type RetryPolicy,
  type View,
  type Work,
} from "./queue.ts";
export { clusterRole, policyRules, type RbacObject, type RbacObjectsOptions, rbacObjects } from "./rbac.ts";
export { type ControllerRow, describeController } from "./rows.ts";
export { isGroupKnown, type KindReference, preferredResources, resourceOfKind, type Served } from "./served.ts";
export { defineIndex, type Index, isListed, resourceId, type Snapshot, type SnapshotListOptions } from "./snapshot.ts";
export { channelSource, type Synced, synced, type WakeSource } from "./sources.ts";
export { isTerminal, TerminalError } from "./terminal-error.ts";
export {
  type Change,
  type ChangeCause,
  cached,
  itself,
  mapped,
  mappedChange,
  type OwnedOptions,
  owned,
  type Watch,
  type WatchOptions,
} from "./watches.ts";
