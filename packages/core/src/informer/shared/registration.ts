// What someone who added a handler holds: the way to ask how far it is, and to take it back.

export interface ResourceEventHandlerRegistration extends Disposable {
  /** For logs: given, or found out from the handler. */
  readonly name: string;
  /** How often it is told again although nothing happened; 0 for never. Perhaps not what was asked for. */
  readonly resyncMs: number;
  /**
   * How many things the cache has and the handler has not: those that wait for it, and, while a long list is compared with
   * the cache in slices, the objects that are still to be compared.
   */
  readonly pending: number;
  /** Whether the handler has been told, and is done with, everything there was when it joined. Stays true. */
  hasSynced(): boolean;
  /** Rejects when the handler is removed or the informer stopped before, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** From now on nothing is told, what waits included; a callback that runs goes on. Idempotent; so is disposing. */
  remove(): void;
}
