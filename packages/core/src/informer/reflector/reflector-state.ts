// What a reflector knows between two happenings, what can happen to it, and what it does next: plain values. No objects of the
// collection are in here, only kinds, versions and counts; times are monotonic milliseconds, chance is a number in [0, 1).
import type { BackoffPolicy } from "../../base/index.ts";
import type { FailureClass } from "./failure-class.ts";
import type { RetryWindow } from "./retry-window.ts";

export type Phase =
  | { readonly at: "idle" }
  | { readonly at: "listing"; readonly resourceVersion: string; readonly pageSize: number }
  /** A watch that begins with everything there is, up to the bookmark that says so: a streamed list. */
  | { readonly at: "streaming"; readonly resourceVersion: string; readonly startedMs: number; readonly events: number }
  | {
      readonly at: "watching";
      readonly startedMs: number;
      /** Bookmarks are events; what was dropped is not. */
      readonly events: number;
      /** Whether each event is newer than the one before. Not while a watch from anywhere tells what was there. */
      readonly isOrdered: boolean;
    }
  | { readonly at: "waiting"; readonly next: "begin" | "watch" };

export interface ReflectorState {
  readonly phase: Phase;
  /** The last one seen; "" before the first. */
  readonly resourceVersion: string;
  /** The server does not have that version: the next list asks for the newest. */
  readonly isVersionUnavailable: boolean;
  /** The list at "0" came in pages, so the server has no cache to take lists from: pages are no loss. */
  readonly isPaged: boolean;
  /** In a row; the back-off grows with them. */
  readonly failures: number;
  /** When the last trouble was over: since the list that ended it, or the first event. */
  readonly healthySinceMs: number | undefined;
  /** When the server turned out not to stream lists. */
  readonly unstreamableSinceMs: number | undefined;
  /** Streamed lists in a row that ended before their bookmark. */
  readonly earlyEnds: number;
  /** Watches in a row that ended within a second. */
  readonly quickEnds: number;
  /** Watches in a row that were lost without an event. */
  readonly emptyEnds: number;
  readonly internalErrors: RetryWindow | undefined;
}

export const initialState: ReflectorState = {
  phase: { at: "idle" },
  resourceVersion: "",
  isVersionUnavailable: false,
  isPaged: false,
  failures: 0,
  healthySinceMs: undefined,
  unstreamableSinceMs: undefined,
  earlyEnds: 0,
  quickEnds: 0,
  emptyEnds: 0,
  internalErrors: undefined,
};

export interface Moment {
  readonly nowMs: number;
  readonly random: number;
}

export type Input =
  /** It was started, or what it waited for is over. */
  | (Moment & { readonly type: "go" })
  /** The list has been read and is in the store. */
  | (Moment & { readonly type: "listed"; readonly resourceVersion: string; readonly isPaged: boolean })
  /** What came together on a watch. Without `random`: nothing is decided by chance as often as this happens. */
  | {
      readonly type: "events";
      readonly nowMs: number;
      readonly added: number;
      /** Changes, deletions and bookmarks. */
      readonly others: number;
      readonly dropped: number;
      /** Of the last one that was not dropped and has one; else "". */
      readonly resourceVersion: string;
    }
  /** The bookmark that ends a streamed list. */
  | { readonly type: "complete"; readonly resourceVersion: string }
  /** The store has taken the streamed list. */
  | (Moment & { readonly type: "replaced"; readonly resourceVersion: string })
  | (Moment & {
      readonly type: "failed";
      readonly failure: FailureClass;
      /** The server said it in the stream, not in answer to the request. */
      readonly isInStream: boolean;
      readonly retryAfterMs: number | undefined;
    })
  /** The server ended the watch, and said nothing about it. */
  | (Moment & { readonly type: "closed" })
  /** A streamed list makes no progress. */
  | (Moment & { readonly type: "silent" })
  /** A watch was not ended when it should have been, and says nothing either. */
  | (Moment & { readonly type: "overdue" })
  | (Moment & { readonly type: "resync-failed" });

export type Command =
  | { readonly kind: "list"; readonly resourceVersion: string; readonly pageSize: number }
  | { readonly kind: "stream"; readonly resourceVersion: string; readonly timeoutSeconds: number }
  | { readonly kind: "watch"; readonly resourceVersion: string; readonly timeoutSeconds: number }
  /** Put the streamed list into the store. */
  | { readonly kind: "replace"; readonly resourceVersion: string }
  /** Go on reading the watch. */
  | { readonly kind: "read" }
  | { readonly kind: "wait"; readonly delayMs: number };

/** What was a failure although nobody threw. */
export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export interface ReflectorRules {
  /** Whether source and user allow streamed lists. */
  readonly canStream: boolean;
  /** How many objects a page, always; by the rules of the table when undefined. */
  readonly forcedPageSize: number | undefined;
  readonly backoff: BackoffPolicy & { readonly resetAfterMs: number };
  /** Watches ask for a time between this and twice as much. */
  readonly minWatchTimeoutMs: number;
  readonly maxInternalErrorRetryMs: number;
  /** How long a server that could not stream a list is not asked to. */
  readonly streamRetryMs: number;
}
