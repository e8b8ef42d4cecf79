// A queue of keys and the rules for them: observe → decide → (reserve) → apply → (learn) → report. Each queue knows the type of what it
// observes; nobody else has to.
//
// One reconcile of a key: `observe` reads caches and model; `decide` returns a plan, or asks, and after the answers both run again; then,
// in the same synchronous call, `reserve` takes from the model what the plan is about to use; the runtime carries the plan out; `learn`
// tells the model what came of it; `report` returns what to write about it.
import type { Clock } from "../base/index.ts";
import type { PriorityOrderOptions, RateLimiter } from "../workqueue/index.ts";
import type { Outcome } from "./outcome.ts";
import type { Decision, Plan, Wake } from "./plan.ts";
import type { Procedure } from "./procedure.ts";
import type { Answer, Question } from "./questions.ts";
import type { Snapshot } from "./snapshot.ts";

/** What `observe` reads. */
export interface View<M = undefined> {
  readonly snapshot: Snapshot;
  readonly model: M;
  /** Wall time. */
  readonly nowMs: number;
}

/** What `decide` and `report` know beside what was observed. */
export interface DecideContext {
  /** Wall time, the same for all rounds of one reconcile. */
  readonly nowMs: number;
  /** Undefined when it was not asked yet. */
  answer<A>(question: Question<A>): Answer<A> | undefined;
}

/** What `reserve` knows beside what was observed. */
export interface Decided<Notes = unknown> extends DecideContext {
  readonly plan: Plan<Notes>;
}

/** What `learn` knows beside what was observed. */
export interface Learned<Notes = unknown> extends DecideContext {
  readonly outcome: Outcome<Notes>;
}

/** How the keys of a queue are processed. */
export interface QueueOptions {
  /** 1 unless given. */
  readonly workers?: number;
  readonly retry?: RetryPolicy;
  /** The order of keys that wait: ageing, and turns between groups; by priority alone unless given. */
  readonly order?: PriorityOrderOptions<string>;
  /** For one key, all its requests included; the driver's unless given. */
  readonly deadlineMs?: number;
  /** The name in `workqueue_*` metrics; the controller's name, and this queue's if there are several, unless given. */
  readonly metricName?: string;
  /** Makes it a sweep: the queue has one key, "", which is processed so often. Other keys are refused. */
  readonly everyMs?: number;
}

/**
 * A decision over a large set, made in slices: a generator yields after each small piece of work, and the driver lets other work run when
 * its yield budget is used up. Caches and model may change at each `yield`, so `observe` must return values, not functions that read the
 * snapshot, and such a queue cannot have a `reserve`.
 */
export type InSlices<R> = Generator<unknown, R, undefined>;

/** One queue's keys, and the rules for them. */
export interface QueueRules<Seen, Notes = unknown, M = undefined> {
  /** Only reads, and decides nothing. Undefined when there is nothing to decide about. */
  observe(key: string, view: View<M>): Seen | undefined;
  /** Pure and total: depends on its arguments only. After its plan was carried out it plans nothing more. */
  decide(seen: Seen, context: DecideContext): Decision<Notes> | InSlices<Decision<Notes>>;
  /**
   * Takes from the model what the plan is about to use. `observe`, `decide` and `reserve` are one synchronous call, so no other key can
   * take the same. `learn` has to release what the plan did not use.
   */
  reserve?(model: M, seen: Seen, decided: Decided<Notes>): void;
  /** What the model learns from answers and outcome; returns the keys to look at because of it. Runs after every plan. */
  learn?(model: M, seen: Seen, learned: Learned<Notes>): readonly Wake[];
  /**
   * What to write after the plan: status, Events, what must be undone. Runs after every plan, also an empty or a failed one; not when
   * `observe` returned undefined, and not after the reconcile was aborted.
   */
  report?(seen: Seen, outcome: Outcome<Notes>, context: DecideContext): Plan | undefined;
}

export type QueueParts<Seen, Notes = unknown, M = undefined> = QueueOptions & QueueRules<Seen, Notes, M>;

/** How a key that failed is tried again. */
export interface RetryPolicy {
  /** The first delay, doubled with each failure; 5 ms unless given. */
  readonly baseMs?: number;
  /** 1000 s unless given. */
  readonly maxMs?: number;
  /** Given up after so many tries, until a change adds the key again; never unless given. */
  readonly maxTries?: number;
  /** Of all keys together: 10 a second with a burst of 100 unless given; "none" for no such limit. */
  readonly bucket?: { readonly qps: number; readonly burst: number } | "none";
  /** Replaces all of the above. */
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
  // What `observe` returned is given back to the same rules: their own types need not be known outside.
  const rules = parts as unknown as QueueRules<unknown, unknown, M>;
  return { ...queueOptions(parts), work: { kind: "rules", rules } };
}

/** Options with their defaults. */
export function queueOptions(options: QueueOptions): Omit<ControllerQueue, "work"> {
  const { workers = 1, retry = {}, order, deadlineMs, metricName, everyMs } = options;
  return { workers, retry, order, deadlineMs, metricName, everyMs };
}
