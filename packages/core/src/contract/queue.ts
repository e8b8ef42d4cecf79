// A queue of keys and the rules for them: observe → decide → report, and learn where there is a memory. Each queue knows the type of
// what it observes; nobody else has to.
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

/** How a queue's keys are worked off. */
export interface QueueOptions {
  /** 1 unless given. */
  readonly workers?: number;
  readonly retry?: RetryPolicy;
  /** Who goes first among those that wait: ageing, turns between groups and how many of each; none of that unless given. */
  readonly order?: PriorityOrderOptions<string>;
  /** For one key, all its requests included; the driver's unless given. */
  readonly deadlineMs?: number;
  /** What its metrics are called; the controller's name, and this queue's if there are several, unless given. */
  readonly metricName?: string;
  /** All of a set, so often, instead of keys that changes name: the queue has one key, "". */
  readonly everyMs?: number;
}

/** One queue's keys, and what to do about them. */
export interface QueueParts<Seen, M = undefined> extends QueueOptions {
  /** Undefined when there is nothing to decide about. No rules here. */
  observe(key: string, view: View<M>): Seen | undefined;
  /** Pure, total, idempotent: what is here is all it knows. Only rules here. */
  decide(seen: Seen, context: DecideContext): Decision;
  /** What to write, given what came of it: status, events, what must be put back. Called also when nothing was to be done. */
  report?(seen: Seen, outcome: Outcome, context: DecideContext): Plan | undefined;
  /** What the memory learns from answers and outcome; and whom that wakes. */
  learn?(model: M, seen: Seen, learned: Learned): readonly Wake[];
}

export interface Learned extends DecideContext {
  readonly outcome: Outcome;
}

/** How a key that failed is tried again. */
export interface RetryPolicy {
  /** The first wait, doubled with each failure; 5 ms unless given. */
  readonly baseMs?: number;
  /** 1000 s unless given. */
  readonly maxMs?: number;
  /** Given up after so many tries, until something wakes it; never unless given. */
  readonly maxTries?: number;
  /** All keys together: 10 a second with a burst of 100 unless given; "none" for no such limit. */
  readonly bucket?: { readonly qps: number; readonly burst: number } | "none";
  /** One of one's own, instead of all that. */
  readonly limiter?: (clock: Clock) => RateLimiter<string>;
}

/** A queue whose own type of observation only itself knows. */
export interface ControllerQueue<M = undefined> {
  readonly workers: number;
  readonly retry: RetryPolicy;
  readonly order?: PriorityOrderOptions<string> | undefined;
  readonly deadlineMs?: number | undefined;
  readonly metricName?: string | undefined;
  readonly everyMs: number | undefined;
  /** Observes; undefined when there is nothing to decide about. */
  begin(key: string, view: View<M>): Work<M> | undefined;
  /** Instead of rules: what reads and writes as it goes. Then `begin` has nothing to say. */
  readonly procedure?: Procedure | undefined;
}

/** One key, observed. */
export interface Work<M = undefined> {
  decide(context: DecideContext): Decision;
  report(outcome: Outcome, context: DecideContext): Plan | undefined;
  learn(model: M, learned: Learned): readonly Wake[];
}

/** A queue of a controller with several. */
export function queue<Seen, M = undefined>(parts: QueueParts<Seen, M>): ControllerQueue<M> {
  return {
    ...queueOptions(parts),
    begin(key, view) {
      const seen = parts.observe(key, view);
      if (seen === undefined) return undefined;
      return {
        decide: (context) => parts.decide(seen, context),
        report: (outcome, context) => parts.report?.(seen, outcome, context),
        learn: (model, learned) => parts.learn?.(model, seen, learned) ?? [],
      };
    },
  };
}

/** With what goes without saying. */
export function queueOptions(options: QueueOptions): Omit<ControllerQueue, "begin" | "procedure"> {
  const { workers = 1, retry = {}, order, deadlineMs, metricName, everyMs } = options;
  return { workers, retry, order, deadlineMs, metricName, everyMs };
}
