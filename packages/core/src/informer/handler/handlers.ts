// What is told about objects, and to whom. A handler may leave out what it does not want to hear.
import type { Deleted } from "../tombstone.ts";

/**
 * Why a handler is called: `initial`, the object was there before the handler (or the informer) was; `change`, the watch said
 * so; `relist`, a new list differs from the cache, so what happened in between is not known; `resync`, nothing happened and
 * the handler asked to be told again.
 */
export type EventCause = "initial" | "change" | "relist" | "resync";

export interface EventDetails {
  readonly cause: EventCause;
  /** The handler has not yet heard of everything there was when it joined. */
  readonly isInInitialList: boolean;
}

/** Called one event after the other; one that returns a promise is waited for. Objects are shared: change none. */
export interface ResourceEventHandler<T> {
  onAdd?(object: T, details: EventDetails): void | Promise<void>;
  onUpdate?(before: T, after: T, details: EventDetails): void | Promise<void>;
  /** The last state, or a tombstone where the deletion itself was missed. */
  onDelete?(gone: Deleted<T>, details: EventDetails): void | Promise<void>;
}

/** One thing to tell; the same value goes to every handler. */
export type Notification<T> =
  | { readonly type: "add"; readonly object: T; readonly details: EventDetails }
  | { readonly type: "update"; readonly before: T; readonly after: T; readonly details: EventDetails }
  | { readonly type: "delete"; readonly gone: Deleted<T>; readonly details: EventDetails };
