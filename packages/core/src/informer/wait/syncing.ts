// What can be waited for until it has synced.
import type { InformerStatus } from "../liveness.ts";

/** An informer, a handler's registration, a controller; or anything else that says when it is ready. */
export interface Syncing {
  readonly name: string;
  hasSynced(): boolean;
  /** Rejects when it never will, and with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  readonly status?: InformerStatus;
}

/** A plain function that says whether something has synced, under client-go's name. It is polled. */
export type InformerSynced = () => boolean;

export type Synced = Syncing | InformerSynced;
