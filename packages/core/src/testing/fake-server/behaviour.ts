// Where real servers differ, by version, by setting or by their mood: what a test may switch at any time.

export interface ServerBehaviour {
  /** What comes of a request for initial events; `ignored` as by a server that is too old to know of it. */
  readonly watchList: "supported" | "refused" | "ignored";
  /** How long after the initial events their end is told: changes that happen meanwhile come before it. */
  readonly initialEndAfterMs: number;
  /** How a watch from a version that is forgotten is turned down: by its status code, or by an event in its stream. */
  readonly expiredWatch: "answer" | "event";
  readonly bookmarkMs: number;
  /** `storage` as without a watch cache: every list is the newest and every limit counts. */
  readonly listsFrom: "cache" | "storage";
  /** How many changes watches can start from; older ones are forgotten by themselves. */
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

/** How long a real server waits for its cache to reach a version. */
export const freshnessLimitMs = 3_000;
