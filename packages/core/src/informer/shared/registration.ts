// The result of adding a handler: its sync state, and the way to remove it.

export interface ResourceEventHandlerRegistration extends Disposable {
  /** For logs: given, or derived from the handler. */
  readonly name: string;
  /** How often all objects are reported to the handler again; 0 for never. May differ from the requested period. */
  readonly resyncMs: number;
  /**
   * The number of notifications that the cache is ahead of the handler: those in the handler's queue, and, while a long list is compared
   * with the cache in slices, the objects that are not compared yet.
   */
  readonly pending: number;
  /** Whether the handler has processed everything that existed when it was added. Stays true. */
  hasSynced(): boolean;
  /** Rejects if the handler is removed or the informer stopped before, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Removes the handler and drops its waiting notifications; a running callback continues. Idempotent, like disposing. */
  remove(): void;
}
