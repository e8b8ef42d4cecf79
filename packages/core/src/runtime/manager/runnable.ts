// What a manager runs, and in which order. The order is this one array: groups start from its beginning and stop from its end, each group
// only after the one before it.

/** The groups in order, each with the reason for its position. */
export const groupNames = [
  // All other groups record events, so this group must still run when all others have ended.
  "events",
  // Probes and metrics: they must be served while the other groups start and stop.
  "servers",
  // Before caches: the API server may need our own conversion webhook to answer a list of custom resources.
  "webhooks",
  // Before everything that reads them.
  "caches",
  // Runs in every replica.
  "always",
  // Runs only in the leader; without leader election, in every replica.
  "leader",
] as const;

export type GroupName = (typeof groupNames)[number];

export interface Placement {
  /** The group in which it runs; derived from `needsLeaderElection` unless given. */
  readonly group?: GroupName;
  /** False if it runs in every replica; true unless given. */
  readonly needsLeaderElection?: boolean;
  /** "stop": if it fails, the manager stops. "report": the failure is logged and reported by `/readyz`. "stop" unless given. */
  readonly onFailure?: "stop" | "report";
}

export interface Runnable extends Placement {
  /** Unique in a manager. */
  readonly name: string;
  /** Works until the signal aborts, and ends only when everything it started has ended. Returning earlier is allowed; throwing is a failure. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the next group may start; immediately unless given. */
  whenReady?(signal: AbortSignal): Promise<void>;
  /** Returns a description of what is wrong; undefined if nothing is. `/readyz` reports it under the name of the runnable. */
  findFault?(): string | undefined;
}

export function groupOf({ group, needsLeaderElection }: Placement): GroupName {
  return group ?? (needsLeaderElection === false ? "always" : "leader");
}
