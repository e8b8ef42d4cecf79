// The other style: a queue whose keys are worked off by a function that reads and writes as it goes. It does so with what the driver
// hands it, in the words of the contract: the same actions and questions that rules return as data. So both styles have one driver,
// and with it the same retries, deadlines, metrics, refusals of what was not declared, and reading of one's own writes.
//
//   procedureQueue({ workers: 2, work: async (key, hands) => { await hands.perform(create(pods, newPod(key))); } })
//
// `defineController` in `runtime` is a friendlier face of this.
import type { Log } from "../base/index.ts";
import type { Action, EventAction } from "./actions.ts";
import type { Outcome } from "./outcome.ts";
import type { Step, Wake } from "./plan.ts";
import type { Question } from "./questions.ts";
import { type ControllerQueue, type QueueOptions, queueOptions } from "./queue.ts";
import type { Snapshot } from "./snapshot.ts";

/** Once for a key. What it throws is tried again with back-off, unless it is a TerminalError. */
export type Procedure = (key: string, hands: Hands, signal: AbortSignal) => Promise<ProcedureResult | undefined>;

export interface ProcedureResult {
  /** When to look again although nothing will have happened. */
  readonly requeueAfterMs?: number | undefined;
}

/** Good for one call of the procedure: when that is over, everything here is refused. */
export interface Hands {
  /** The caches, as they are at each call, with what this very call has written laid over them: never older than that. */
  readonly snapshot: Snapshot;
  readonly log: Log;
  /** How often in a row the key has failed before. */
  readonly failures: number;
  /** Wall time. */
  now(): number;
  /** Carries an action out. Rejects with what went wrong; undefined for a failure that the action tolerates. */
  perform<R>(action: Action<R>): Promise<R | undefined>;
  /** Step by step, as a plan is: never rejects for a failed action. For slow start. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
  /** Reads past the caches. Rejects when it cannot be answered. */
  answer<A>(question: Question<A>): Promise<A>;
  record(event: EventAction): void;
  /** Looks at other keys, too; at once, not when the work is over. */
  wake(...wakes: readonly Wake[]): void;
}

export interface ProcedureParts extends QueueOptions {
  readonly work: Procedure;
}

export function procedureQueue<M = undefined>(parts: ProcedureParts): ControllerQueue<M> {
  return { ...queueOptions(parts), begin: () => undefined, procedure: parts.work };
}
