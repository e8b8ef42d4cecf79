// The reflector's state, inputs and commands, as plain values. They contain no objects of the
// collection, only classes, versions and counts. Times are monotonic milliseconds; `random` is a number in [0, 1).
import type { BackoffPolicy } from "../../base/index.ts";
import type { FailureClass } from "./failure-class.ts";
import type { RetryWindow } from "./retry-window.ts";

export type Phase =
  | { readonly at: "idle" }
  | { readonly at: "listing"; readonly resourceVersion: string; readonly pageSize: number }
  /** A streamed list: a watch that begins with the existing objects as initial events, up to the bookmark that ends them. */
  | { readonly at: "streaming"; readonly resourceVersion: string; readonly startedMs: number; readonly events: number }
  | {
      readonly at: "watching";
      readonly startedMs: number;
      /** The number of events, including bookmarks, without dropped ones. */
      readonly events: number;
      /** Whether the events are in the order of their versions. Not while a watch from "" or "0" sends the existing objects. */
      readonly isOrdered: boolean;
    }
  | { readonly at: "waiting"; readonly next: "begin" | "watch" };

export interface ReflectorState {
  readonly phase: Phase;
  /** The last version that was seen; "" before the first. */
  readonly resourceVersion: string;
  /** The server does not have that version, so the next list requests the newest. */
  readonly isVersionUnavailable: boolean;
  /** The list at "0" came in pages, so the server has no watch cache, and paging costs nothing. */
  readonly isPaged: boolean;
  /** Consecutive failures; the backoff grows with them. */
  readonly failures: number;
  /** When the last failure was over: when a list succeeded, or the first event arrived. */
  readonly healthySinceMs: number | undefined;
  /** When the server was found not to support streamed lists. */
  readonly unstreamableSinceMs: number | undefined;
  /** Consecutive streamed lists that ended before their bookmark. */
  readonly earlyEnds: number;
  /** Consecutive watches that ended within a second. */
  readonly quickEnds: number;
  /** Consecutive watches that were lost without an event. */
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
  /** The reflector was started, or a wait is over. */
  | (Moment & { readonly type: "go" })
  /** The list was read and is in the store. */
  | (Moment & { readonly type: "listed"; readonly resourceVersion: string; readonly isPaged: boolean })
  /** A batch of watch events. Without `random`, because this input is frequent and no row needs it. */
  | {
      readonly type: "events";
      readonly nowMs: number;
      readonly added: number;
      /** Changes, deletions and bookmarks. */
      readonly others: number;
      readonly dropped: number;
      /** Of the last event that was not dropped and has a version; otherwise "". */
      readonly resourceVersion: string;
    }
  /** The batch contains the bookmark that ends a streamed list. */
  | { readonly type: "complete"; readonly resourceVersion: string }
  /** The streamed list is in the store. */
  | (Moment & { readonly type: "replaced"; readonly resourceVersion: string })
  | (Moment & {
      readonly type: "failed";
      readonly failure: FailureClass;
      /** The error was an event in the stream, not the response to the request. */
      readonly isInStream: boolean;
      readonly retryAfterMs: number | undefined;
    })
  /** The server ended the watch without an error. */
  | (Moment & { readonly type: "closed" })
  /** A streamed list makes no progress. */
  | (Moment & { readonly type: "silent" })
  /** A watch is open longer than its timeout, and nothing arrives on it. */
  | (Moment & { readonly type: "overdue" })
  | (Moment & { readonly type: "resync-failed" })
  /** Somebody read an object of the cache, and it is malformed. */
  | (Moment & { readonly type: "malformed" });

export type Command =
  | { readonly kind: "list"; readonly resourceVersion: string; readonly pageSize: number }
  | { readonly kind: "stream"; readonly resourceVersion: string; readonly timeoutSeconds: number }
  | { readonly kind: "watch"; readonly resourceVersion: string; readonly timeoutSeconds: number }
  /** Put the streamed list into the store. */
  | { readonly kind: "replace"; readonly resourceVersion: string }
  /** Continue reading the watch. */
  | { readonly kind: "read" }
  | { readonly kind: "wait"; readonly delayMs: number };

/** A failure for which no error was thrown. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface ReflectorRules {
  /** Whether source and options allow streamed lists. */
  readonly canStream: boolean;
  /** The page size to use always; undefined to follow the rules of the table. */
  readonly forcedPageSize: number | undefined;
  readonly backoff: BackoffPolicy & { readonly resetAfterMs: number };
  /** Watches request a timeout between this and twice as much. */
  readonly minWatchTimeoutMs: number;
  readonly maxInternalErrorRetryMs: number;
  /** How long a server that could not stream a list is not asked to. */
  readonly streamRetryMs: number;
}
