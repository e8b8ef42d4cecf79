// Where deltas are applied: the cache, the function that gets the notifications, and the one that gets the errors.
import type { EventCause, EventDetails, Notification } from "../handler/handlers.ts";
import type { Pause } from "../store/replacement.ts";
import type { Store } from "../store/store.ts";

/** Any store. A long list is applied in slices if the store supports it. */
export interface CacheStore<T> extends Store<T> {
  /** The content itself; after a `replace`, this map still holds the old content. */
  readonly objectsByKey?: ReadonlyMap<string, T>;
  /** Adds or updates, and returns the previous object. Computes the key only once. */
  exchange?(object: T): T | undefined;
  replaceInSlices?(
    objects: readonly T[],
    resourceVersion: string,
    options: { readonly pause: Pause },
    signal: AbortSignal,
  ): Promise<void>;
}

/** The progress of a batch that is processed in slices. */
export interface ApplyProgress {
  /** Changes not yet written to the store, where a whole list counts as one, and objects that a resync has not reported yet. */
  waiting: number;
  /** Objects that a list wrote to the store or removed from it, and that were not yet compared and passed to `notify`. */
  unreported: number;
}

export interface ApplyTarget<T> {
  readonly store: CacheStore<T>;
  /** Updated while a list or a resync is processed. */
  readonly progress?: ApplyProgress;
  /** Called after the store holds the change. */
  readonly notify: (notification: Notification<T>) => void;
  /** The same for a list of objects that are all new. Default: `notify` for each. */
  readonly notifyOfAll?: (objects: readonly T[], details: EventDetails) => void;
  /** Called for an object that the store rejected. No notification is sent for it; everything else continues. */
  readonly onError: (error: Error) => void;
}

/** Shared values, so that a notification allocates no details. */
const detailsByCause: Readonly<Record<EventCause, EventDetails>> = {
  initial: Object.freeze({ cause: "initial", isInInitialList: true }),
  change: Object.freeze({ cause: "change", isInInitialList: false }),
  relist: Object.freeze({ cause: "relist", isInInitialList: false }),
  resync: Object.freeze({ cause: "resync", isInInitialList: false }),
};

/** In the initial list, the cause is always `initial`. */
export function detailsOf(batch: { readonly isInInitialList: boolean }, cause: EventCause): EventDetails {
  return batch.isInInitialList ? detailsByCause.initial : detailsByCause[cause];
}

/** Returns the notification for a written object: an add, or an update if there was a previous one. */
export function notificationOf<T>(before: T | undefined, after: T, details: EventDetails): Notification<T> {
  return before === undefined ? { type: "add", object: after, details } : { type: "update", before, after, details };
}
