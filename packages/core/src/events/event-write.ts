// The write that results from a recorded event: a create, or a patch of an event that was written before.

export interface EventWrite<T> {
  /** The key under which the correlator or the series tracks this event. */
  readonly key: string;
  /** The whole desired object. */
  readonly event: T;
  /** The event was written before: only a patch is sent, unless the server no longer has the event. */
  readonly isRepeat: boolean;
}
