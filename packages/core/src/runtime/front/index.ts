// `front`: controllers in the style of controller-runtime, and helpers for objects. Start with define-controller.ts; docs/controllers.md is the
// guide.
export { type ControllerDefinition, defineController, type ReconcileResult } from "./define-controller.ts";
export {
  type ChangeObject,
  type ChangeStatus,
  createOrPatch,
  createOrUpdate,
  type Draft,
  type Edited,
  ensure,
  ensureFinalizer,
  type ObjectDraft,
  type PatchResult,
  releaseFinalizer,
  writeStatus,
} from "./edit-objects.ts";
export { type Editor, editorOf } from "./editor.ts";
export {
  type PatchOptions,
  ReconcileClient,
  type ReconcileClientOptions,
  ReconcileResourceClient,
  ReconcileSubresourceClient,
} from "./reconcile-client.ts";
export type { ReconcileContext, ReconcileRecorder, ReconcileRequest } from "./reconcile-context.ts";
