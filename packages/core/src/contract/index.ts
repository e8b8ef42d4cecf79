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
} from "./actions.ts";
export {
  type Controller,
  type ControllerParts,
  type ControllerQueue,
  type DecideContext,
  keyed,
  type Learned,
  type ModelParts,
  modelled,
  type QueueParts,
  queue,
  type RetryPolicy,
  sweep,
  type View,
  type Work,
  withQueues,
} from "./controller.ts";
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
export { type ControllerRow, clusterRole, describeController, policyRules } from "./rbac.ts";
export { isGroupKnown, type KindReference, preferredResources, resourceOfKind, type Served } from "./served.ts";
export { defineIndex, type Index, resourceId, type Snapshot, type SnapshotListOptions } from "./snapshot.ts";
export {
  type Change,
  cached,
  generationChanged,
  itself,
  mapped,
  mappedChange,
  owned,
  versionChanged,
  type Watch,
  type WatchOptions,
} from "./watches.ts";
