// Where deltas end up: the cache, those who are told of each change, and whoever wants to know what could not be done.
import type { EventCause, EventDetails, Notification } from "../handler/handlers.ts";
import type { Pause } from "../store/replacement.ts";
import type { Store } from "../store/store.ts";

/** Any store. One that can place a long list in slices is asked to. */
export interface CacheStore<T> extends Store<T> {
  /** The content itself; after a `replace`, still the old one. */
  readonly objectsByKey?: ReadonlyMap<string, T>;
  /** Adds or updates, whichever it is, and gives what was there: the key is told once. */
  exchange?(object: T): T | undefined;
  replaceInSlices?(
    objects: readonly T[],
    resourceVersion: string,
    options: { readonly pause: Pause },
    signal: AbortSignal,
  ): Promise<void>;
}

/** How far a batch is, for whoever asks while it is worked off in slices. */
export interface ApplyProgress {
  /** Changes still to be put into the store, where a whole list is one, and objects that a resync is still to report. */
  waiting: number;
  /** Objects that a list put into the store or removed from it, and that have not been compared and passed to `notify` yet. */
  unreported: number;
}

export interface ApplyTarget<T> {
  readonly store: CacheStore<T>;
  /** Kept up to date while a list or a resync is worked off. */
  readonly progress?: ApplyProgress;
  /** Called when the store holds the change. */
  readonly notify: (notification: Notification<T>) => void;
  /** The same for a list of objects that are all new. Unless given, each is told by itself. */
  readonly notifyOfAll?: (objects: readonly T[], details: EventDetails) => void;
  /** An object that the store refused: nobody is told of it, and everything else goes on. */
  readonly onError: (error: Error) => void;
}

/** Every notification of a kind carries the same value. */
const detailsByCause: Readonly<Record<EventCause, EventDetails>> = {
  initial: Object.freeze({ cause: "initial", isInInitialList: true }),
  change: Object.freeze({ cause: "change", isInInitialList: false }),
  relist: Object.freeze({ cause: "relist", isInInitialList: false }),
  resync: Object.freeze({ cause: "resync", isInInitialList: false }),
};

/** What happens in the initial list is `initial`, whatever it is otherwise. */
export function detailsOf(batch: { readonly isInInitialList: boolean }, cause: EventCause): EventDetails {
  return batch.isInInitialList ? detailsByCause.initial : detailsByCause[cause];
}

/** An object that came: new, or in the place of another. */
export function notificationOf<T>(before: T | undefined, after: T, details: EventDetails): Notification<T> {
  return before === undefined ? { type: "add", object: after, details } : { type: "update", before, after, details };
}
