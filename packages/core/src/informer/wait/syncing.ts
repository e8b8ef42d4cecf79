// The interface of everything that callers can wait for to sync.
import type { InformerStatus } from "../liveness.ts";

/** An informer, a handler's registration, a controller; or anything else that can tell when it is ready. */
export interface Syncing {
  readonly name: string;
  hasSynced(): boolean;
  /** Rejects if it will never sync, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  readonly status?: InformerStatus;
}

/** A plain function that returns whether something has synced, with client-go's name. It is polled. */
export type InformerSynced = () => boolean;

export type Synced = Syncing | InformerSynced;
