// Behaviour in which real servers differ, by version, by configuration or by their load. A test may change it at any time.

export interface ServerBehaviour {
  /** What the server does with `sendInitialEvents`. "ignored" is the behaviour of a server too old to know the option. */
  readonly watchList: "supported" | "refused" | "ignored";
  /** The time between the initial events and the bookmark that marks their end. Changes during this time are sent before the bookmark. */
  readonly initialEndAfterMs: number;
  /** How the server refuses a watch from a resourceVersion that is too old: with the HTTP status code, or with an ERROR event. */
  readonly expiredWatch: "answer" | "event";
  readonly bookmarkMs: number;
  /** "storage": lists as without a watch cache. Every list returns the newest state, and every limit is respected. */
  readonly listsFrom: "cache" | "storage";
  /** How many changes the watch cache keeps for new watches. Older changes are deleted automatically. */
  readonly historySize: number;
}

export const defaultBehaviour: ServerBehaviour = {
  watchList: "supported",
  initialEndAfterMs: 0,
  expiredWatch: "event",
  bookmarkMs: 60_000,
  listsFrom: "cache",
  historySize: 10_000,
};

/** How long a real server waits for its watch cache to reach a resourceVersion. */
export const freshnessLimitMs = 3_000;
