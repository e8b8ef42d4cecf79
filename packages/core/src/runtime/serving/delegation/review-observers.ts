// What reviews by the cluster report to whoever measures them.

/** Code is the server's answer to a review; undefined if there was none. */
export type ReviewObserver = (code: number | undefined, seconds: number) => void;

/** What a cache of reviews reports. */
export interface ReviewCacheObserver {
  /** Answered from the cache, or not. */
  answered(isHit: boolean, seconds: number): void;
  /** How many callers wait for an answer that is not in the cache: one more, or one less. */
  waiting(by: 1 | -1): void;
  /** How many questions are under way. */
  fetching(by: 1 | -1): void;
  fetched(isOk: boolean): void;
}

export interface AuthenticationObserver {
  readonly certificateLife: (seconds: number) => void;
  readonly tokenReview: ReviewObserver;
  readonly tokenCache: ReviewCacheObserver;
}
