// A queue of keys and the rules for them: observe → decide → (reserve) → apply → (learn) → report. The type that `observe` returns is known
// only to the rules of the same queue.
//
// One reconcile of a key:
// - `observe` reads the caches and the model.
// - `decide` returns a plan or questions. After the answers to questions, `observe` and `decide` run again.
// - In the same synchronous call, `reserve` takes from the model what the plan is about to use.
// - The runtime carries the plan out.
// - `learn` updates the model with the outcome.
// - `report` returns what to write about the outcome.
import type { Clock } from "../base/index.ts";
import type { PriorityOrderOptions, RateLimiter } from "../workqueue/index.ts";
import type { Outcome } from "./outcome.ts";
import type { Decision, Plan, Wake } from "./plan.ts";
import type { Procedure } from "./procedure.ts";
import type { Answer, Question } from "./questions.ts";
import type { Snapshot } from "./snapshot.ts";

/** The argument of `observe`: everything that it reads. */
export interface View<M = undefined> {
  readonly snapshot: Snapshot;
  readonly model: M;
  /** Wall time. */
  readonly nowMs: number;
}

/** The argument of `decide` and `report` in addition to the observed state. */
export interface DecideContext {
  /** Wall time. It stays the same for all rounds of questions of one reconcile. */
  readonly nowMs: number;
  /** Returns undefined if the question was not asked yet. */
  answer<A>(question: Question<A>): Answer<A> | undefined;
}

/** The argument of `reserve` in addition to the model and the observed state. */
export interface Decided<Notes = unknown> extends DecideContext {
  readonly plan: Plan<Notes>;
}

/** The argument of `learn` in addition to the model and the observed state. */
export interface Learned<Notes = unknown> extends DecideContext {
  readonly outcome: Outcome<Notes>;
}

/** How the keys of a queue are processed. */
export interface QueueOptions {
  /** How many keys are processed at the same time; 1 unless given. */
  readonly workers?: number;
  readonly retry?: RetryPolicy;
  /** The order of the waiting keys: ageing, and turns between groups. Unless given, only the priority counts. */
  readonly order?: PriorityOrderOptions<string>;
  /** The time limit for one reconcile of a key, including all its requests; the driver's limit unless given. */
  readonly deadlineMs?: number;
  /**
   * The name in `workqueue_*` metrics. Unless given, it is the name of the controller, followed
   * by the name of this queue if the controller has several.
   */
  readonly metricName?: string;
  /** Makes this queue a sweep: it has one key, "", which is processed once in this period. Other keys are refused. */
  readonly everyMs?: number;
}

/**
 * A decision over a large set, made in slices. The generator yields after each small piece of work, and the driver yields to the event loop
 * when its yield budget is used up. Caches and model may change at each `yield`, so `observe` must return values, not functions that read
 * the snapshot, and such a queue cannot have a `reserve`.
 */
export type InSlices<R> = Generator<unknown, R, undefined>;

/** The rules for the keys of one queue. */
export interface QueueRules<Seen, Notes = unknown, M = undefined> {
  /** Reads the state that `decide` needs, and decides nothing. Returns undefined if there is nothing to decide for this key. */
  observe(key: string, view: View<M>): Seen | undefined;
  /**
   * Pure and total: depends on its arguments only. It must converge: for the state after its
   * plan was carried out, it returns a plan without actions.
   */
  decide(seen: Seen, context: DecideContext): Decision<Notes> | InSlices<Decision<Notes>>;
  /**
   * Takes from the model what the plan is about to use. `observe`, `decide` and `reserve` run in one synchronous call, so no other key can
   * take the same thing meanwhile. `learn` must release what the plan did not use.
   */
  reserve?(model: M, seen: Seen, decided: Decided<Notes>): void;
  /** Updates the model with the answers and the outcome. Returns the keys to enqueue because of that. Runs after every plan. */
  learn?(model: M, seen: Seen, learned: Learned<Notes>): readonly Wake[];
  /**
   * Returns what to write after the plan: status, Events, and writes that undo something. Runs after every plan, also after an empty or a
   * failed one. It does not run if `observe` returned undefined or the reconcile was aborted.
   */
  report?(seen: Seen, outcome: Outcome<Notes>, context: DecideContext): Plan | undefined;
}

export type QueueParts<Seen, Notes = unknown, M = undefined> = QueueOptions & QueueRules<Seen, Notes, M>;

/** When a key that failed is requeued. */
export interface RetryPolicy {
  /** The delay after the first failure, doubled with each further failure; 5 ms unless given. */
  readonly baseMs?: number;
  /** The longest delay; 1000 s unless given. */
  readonly maxMs?: number;
  /** After so many failed tries in a row the key is not requeued until something else adds it. Unless given, there is no maximum. */
  readonly maxTries?: number;
  /** A token bucket for the retries of all keys together: 10 per second with a burst of 100 unless given. "none" for no such limit. */
  readonly bucket?: { readonly qps: number; readonly burst: number } | "none";
  /** A rate limiter that replaces `baseMs`, `maxMs` and `bucket`. */
  readonly limiter?: (clock: Clock) => RateLimiter<string>;
}

/** A queue as the driver runs it: with rules, or with a procedure. */
export interface ControllerQueue<M = undefined> {
  readonly workers: number;
  readonly retry: RetryPolicy;
  readonly order: PriorityOrderOptions<string> | undefined;
  readonly deadlineMs: number | undefined;
  readonly metricName: string | undefined;
  readonly everyMs: number | undefined;
  readonly work:
    | { readonly kind: "rules"; readonly rules: QueueRules<unknown, unknown, M> }
    | { readonly kind: "procedure"; readonly procedure: Procedure };
}

/** A queue of a controller with rules. */
export function queue<Seen, Notes = unknown, M = undefined>(parts: QueueParts<Seen, Notes, M>): ControllerQueue<M> {
  // Only these rules receive what their `observe` returned, so no other code needs to know its type.
  const rules = parts as unknown as QueueRules<unknown, unknown, M>;
  return { ...queueOptions(parts), work: { kind: "rules", rules } };
}

/** Returns the options with defaults filled in. */
export function queueOptions(options: QueueOptions): Omit<ControllerQueue, "work"> {
  const { workers = 1, retry = {}, order, deadlineMs, metricName, everyMs } = options;
  return { workers, retry, order, deadlineMs, metricName, everyMs };
}
