// What comes of a recorded event: an object to make, or a change of one that was made before.

export interface EventWrite<T> {
  /** By which whoever decided on it remembers it. */
  readonly key: string;
  /** The whole object as it should be. */
  readonly event: T;
  /** It was written before: only what changed is sent, unless the server has forgotten it. */
  readonly isRepeat: boolean;
}
