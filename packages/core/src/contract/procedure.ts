// A procedure is the imperative alternative to rules: an async function that reconciles one key, and reads and writes through a context from
// the driver. The context takes the same actions and questions that rules return, so that both styles share one driver: retries,
// deadlines, metrics, refusal of undeclared writes, and read-your-writes.
//
// Users call `defineController` in `runtime`, which is built on this file.
import type { Log } from "../base/index.ts";
import type { Action, EventAction } from "./actions.ts";
import type { Outcome } from "./outcome.ts";
import type { Step, Wake } from "./plan.ts";
import type { Question } from "./questions.ts";
import { type ControllerQueue, type QueueOptions, queueOptions } from "./queue.ts";
import type { Snapshot } from "./snapshot.ts";

/** Called once for each reconcile of a key. If it throws, the key is requeued with backoff, unless the error is a TerminalError. */
export type Procedure = (
  key: string,
  context: ProcedureContext,
) => Promise<ProcedureResult | undefined> | Promise<void>;

export interface ProcedureResult {
  /** Requeues the key after this time even if no object changes. */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Whether nobody waits for that requeue: a deadline that will hardly pass, or a look from time to time. A cluster in a test is settled although it is
   * still to come.
   */
  readonly isRoutine?: boolean | undefined;
}

/** Valid for one call of the procedure: afterwards `perform`, `carryOut`, `answer`, `record` and `wake` throw. */
export interface ProcedureContext {
  /**
   * Reads the caches at the time of each read, overlaid with the writes of this call of the procedure,
   * so that it never returns an object older than those writes.
   */
  readonly snapshot: Snapshot;
  readonly log: Log;
  /** How many times in a row the key has failed before this call. */
  readonly failures: number;
  /** Aborts when the deadline has passed, the controller stops, or the procedure has returned. */
  readonly signal: AbortSignal;
  /** The wall time at the moment of the access. */
  readonly nowMs: number;
  /** Carries an action out. Rejects with the error if it fails; resolves to undefined if the action tolerates the error. */
  perform<R>(action: Action<R>): Promise<R | undefined>;
  /** Carries steps out like those of a plan. A failed action does not reject but is in the outcome. For slow start. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
  /** Gets the answer from the server or the port, not from a cache. Rejects if there is no answer. */
  answer<A>(question: Question<A>): Promise<A>;
  record(event: EventAction): void;
  /** Adds other keys to their queues immediately, not when the procedure has ended. */
  wake(...wakes: readonly Wake[]): void;
}

export function procedureQueue<M = undefined>(
  parts: QueueOptions & { readonly procedure: Procedure },
): ControllerQueue<M> {
  return { ...queueOptions(parts), work: { kind: "procedure", procedure: parts.procedure } };
}
