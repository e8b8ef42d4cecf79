// A procedure is the imperative alternative to rules: an async function that reconciles one key, and reads and writes through a context from
// the driver. The context takes the same actions and questions that rules return, so that both styles share one driver: retries,
// deadlines, metrics, refusal of undeclared writes, and read-your-writes.
//
// `defineController` in `runtime` is what users write; this is what it is made of.
import type { Log } from "../base/index.ts";
import type { Action, EventAction } from "./actions.ts";
import type { Outcome } from "./outcome.ts";
import type { Step, Wake } from "./plan.ts";
import type { Question } from "./questions.ts";
import { type ControllerQueue, type QueueOptions, queueOptions } from "./queue.ts";
import type { Snapshot } from "./snapshot.ts";

/** Called once for a key. What it throws is tried again with back-off, unless it is a TerminalError. */
export type Procedure = (
  key: string,
  context: ProcedureContext,
) => Promise<ProcedureResult | undefined> | Promise<void>;

export interface ProcedureResult {
  /** When to look at the key again although nothing will have changed. */
  readonly requeueAfterMs?: number | undefined;
}

/** Valid for one call of the procedure: afterwards `perform`, `carryOut`, `answer`, `record` and `wake` throw. */
export interface ProcedureContext {
  /** The caches, as they are at each call, overlaid with what this very call has written: never older than that. */
  readonly snapshot: Snapshot;
  readonly log: Log;
  /** How often in a row the key has failed before. */
  readonly failures: number;
  /** Aborts when the deadline has passed, the controller stops, or the procedure has returned. */
  readonly signal: AbortSignal;
  /** Wall time, at each look. */
  readonly nowMs: number;
  /** Carries an action out. Rejects with what went wrong; undefined for a failure that the action tolerates. */
  perform<R>(action: Action<R>): Promise<R | undefined>;
  /** Step by step, as a plan is carried out: never rejects for a failed action. For slow start. */
  carryOut(steps: readonly Step[]): Promise<Outcome>;
  /** Reads from the server, not from a cache. Rejects when it cannot be answered. */
  answer<A>(question: Question<A>): Promise<A>;
  record(event: EventAction): void;
  /** Adds other keys, too; at once, not when the procedure has ended. */
  wake(...wakes: readonly Wake[]): void;
}

export function procedureQueue<M = undefined>(
  parts: QueueOptions & { readonly procedure: Procedure },
): ControllerQueue<M> {
  return { ...queueOptions(parts), work: { kind: "procedure", procedure: parts.procedure } };
}
