// `contract` defines controllers, as types and pure functions: descriptor, read views, questions, actions, plan, outcome. Start with
// controller.ts; docs/controllers.md is the guide, docs/adr/0007-controller-contract.md has the reasons for this design.
//
// Nothing here does I/O. `runtime` runs controllers; the further exports that `runtime` needs are in for-drivers.ts.
export { type Access, statusVerbs, subresourceVerbs, verbs } from "./access.ts";
export { type Action, printAction } from "./actions.ts";
export { type Controller, type ControllerParts, keyed, newController } from "./controller.ts";
export { describeController } from "./describe-controller.ts";
export { editObject, editStatus, editSubresource } from "./edits.ts";
export { type EnsureOptions, ensureObject, type Wanted } from "./ensure.ts";
export {
  type ControllerMetric,
  type CounterMetric,
  counter,
  type GaugeMetric,
  gauge,
  type HistogramMetric,
  histogram,
  type Measurement,
} from "./metrics.ts";
export { type ActionResult, Outcome } from "./outcome.ts";
export {
  actionsOf,
  ask,
  type Decision,
  inOrder,
  nothing,
  type Plan,
  plan,
  slowStart,
  unfinished,
  type Wake,
} from "./plan.ts";
export { definePort, type Port } from "./ports.ts";
export {
  annotationChanged,
  generationChanged,
  isResync,
  labelChanged,
  labelled,
  versionChanged,
} from "./predicates.ts";
export {
  type Answer,
  askPort,
  discover,
  liveGet,
  liveGetSubresource,
  liveList,
  type Question,
} from "./questions.ts";
export { type DecideContext, type InSlices, type Learned, queue, type View } from "./queue.ts";
export { clusterRole, rbacObjects } from "./rbac.ts";
export { isGroupKnown, preferredResources, resourceOfKind, type Served } from "./served.ts";
export { defineIndex, type Index, type Snapshot } from "./snapshot.ts";
export { channelSource, synced, type WakeSource } from "./sources.ts";
export { TerminalError } from "./terminal-error.ts";
export { type Change, cached, itself, mapped, owned, type Watch } from "./watches.ts";
export {
  apply,
  callPort,
  create,
  createSubresource,
  patch,
  recordEvent,
  remove,
  removeCollection,
  removeObject,
  update,
} from "./writes.ts";
