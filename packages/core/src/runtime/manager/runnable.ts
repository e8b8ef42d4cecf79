// What a manager runs, and in which order. The order is this one array: everything starts from its beginning and ends from its
// end, each group only after the one before it.

/** With the reason why each stands where it does. */
export const groupNames = [
  // Where everything else reports to: it must still be there when everything else has ended.
  "events",
  // Probes and metrics: whoever watches the process wants to see it start, and end.
  "servers",
  // Before caches: a list of custom resources may need our own conversion to be answered.
  "webhooks",
  // Before whatever reads them.
  "caches",
  // In every replica.
  "always",
  // Only in the one that leads; in every replica where nobody is elected.
  "leader",
] as const;

export type GroupName = (typeof groupNames)[number];

export interface Placement {
  /** Where it stands in the order; by `needsLeaderElection` unless given. */
  readonly group?: GroupName;
  /** False for what runs in every replica; true unless given. */
  readonly needsLeaderElection?: boolean;
  /** What its failure means: the end of all, or a word in the log and in `/readyz`. "stop" unless given. */
  readonly onFailure?: "stop" | "report";
}

export interface Runnable extends Placement {
  /** Unlike all others of a manager. */
  readonly name: string;
  /** Works until the signal aborts, and ends only when all it started has ended. Ending by itself is fine, throwing a failure. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the next group may start; at once unless given. */
  whenReady?(signal: AbortSignal): Promise<void>;
  /** For `/readyz`, under its name: what is wrong, in words. */
  findFault?(): string | undefined;
}

export function groupOf({ group, needsLeaderElection }: Placement): GroupName {
  return group ?? (needsLeaderElection === false ? "always" : "leader");
}
