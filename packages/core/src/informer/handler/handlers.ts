// The interface of event handlers. All callbacks are optional.
import type { Deleted } from "../tombstone.ts";

/**
 * Why a handler is called. `initial`: the object existed before the handler (or the informer). `change`: a watch event.
 * `relist`: a new list differs from the cache, so the changes in between are not known. `resync`: nothing changed, but
 * the handler asked for periodic resyncs.
 */
export type EventCause = "initial" | "change" | "relist" | "resync";

export interface EventDetails {
  readonly cause: EventCause;
  /** The handler has not yet received all objects that existed when it was added. */
  readonly isInInitialList: boolean;
}

/** Called with one event after the other; a returned promise is awaited. Objects are shared: do not change them. */
export interface ResourceEventHandler<T> {
  onAdd?(object: T, details: EventDetails): void | Promise<void>;
  onUpdate?(before: T, after: T, details: EventDetails): void | Promise<void>;
  /** Gets the last state, or a tombstone if the delete event was missed. */
  onDelete?(gone: Deleted<T>, details: EventDetails): void | Promise<void>;
}

/** One event for handlers; all handlers get the same value. */
export type Notification<T> =
  | { readonly type: "add"; readonly object: T; readonly details: EventDetails }
  | { readonly type: "update"; readonly before: T; readonly after: T; readonly details: EventDetails }
  | { readonly type: "delete"; readonly gone: Deleted<T>; readonly details: EventDetails };
