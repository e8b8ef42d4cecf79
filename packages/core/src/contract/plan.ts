// The result of `decide`: a plan, or questions. A plan has ordered steps of actions, the reason in words, and the time of the next reconcile.
//
// A plan is carried out step by step. The actions of a step run in parallel, and all of them are tried; after a step with a failure, the
// remaining steps are skipped. `inOrder(a, b)` is one entry of a step: b is sent only after a has succeeded, and the other entries of the
// step do not wait for either. So the order of writes is data (status before finalizers), and so is slow start: `slowStart` makes steps of
// 1, 2, 4, … actions, so that a quota which refuses 500 pods costs one request.
import type { Action } from "./actions.ts";
import type { Measurement } from "./metrics.ts";
import type { Question } from "./questions.ts";

/** Actions and chains that are carried out in parallel. */
export type Step = readonly (Action | Chain)[];

/** Actions that are carried out one after the other. After the first failure the rest is skipped. Made by `inOrder`. */
export interface Chain {
  readonly type: "chain";
  readonly actions: readonly Action[];
}

export type Decision<Notes = unknown> = Plan<Notes> | Ask;

export interface Plan<Notes = unknown> extends PlanOptions<Notes> {
  readonly kind: "plan";
  /** The reason for the plan, in words, for logs and tests: "scale up", "in balance". */
  readonly reason: string;
  readonly steps: readonly Step[];
}

export interface PlanOptions<Notes = unknown> {
  /** Requeues the key after this time even if no object changes, for example because of a deadline or a schedule. */
  readonly requeueAfterMs?: number | undefined;
  /**
   * Whether nobody waits for that requeue: a deadline that will hardly pass, or a look from time to time. A cluster in a test is settled although it is
   * still to come.
   */
  readonly isRoutine?: boolean | undefined;
  /** Other keys to enqueue, in the same queue unless the wake names another. */
  readonly wakes?: readonly Wake[] | undefined;
  /** Set if `decide` could not decide everything. The plan is carried out, and the key is requeued with backoff, as after a failure. */
  readonly unfinished?: Error | undefined;
  /** Measurements, which the driver records once, before the first action. */
  readonly measures?: readonly Measurement[] | undefined;
  /** Intermediate results of `decide` that `report` or `learn` need. */
  readonly notes?: Notes | undefined;
}

export interface Ask {
  readonly kind: "ask";
  readonly reason: string;
  readonly questions: readonly Question[];
}

/** A key to enqueue: the key alone, or with its queue, a delay and a priority. */
export type Wake =
  | string
  | {
      readonly key: string;
      /**
       * If not given: in a plan, the queue of the plan's key; from a watch, the queue of the
       * watch; otherwise the first queue of the controller.
       */
      readonly queue?: string;
      readonly afterMs?: number;
      /** Keys with a higher priority are processed first; 0 unless given. Objects of an initial list have -100. */
      readonly priority?: number;
    };

type Entry = Action | Chain | undefined;

/** Makes a plan. Leaves out entries that are undefined (an edit that changes nothing) and steps without actions. */
export function plan<Notes = undefined>(
  reason: string,
  steps: readonly (readonly Entry[])[],
  options: PlanOptions<Notes> = {},
): Plan<Notes> {
  return { kind: "plan", reason, steps: withoutGaps(steps), ...options };
}

export function nothing<Notes = undefined>(reason: string, options: PlanOptions<Notes> = {}): Plan<Notes> {
  return { kind: "plan", reason, steps: noSteps, ...options };
}

/** A plan for the case that nothing can be decided now: it has no actions, and the key is requeued with backoff. */
export function unfinished(reason: string, error: Error): Plan<undefined> {
  return nothing(reason, { unfinished: error });
}

export function ask(reason: string, ...questions: readonly Question[]): Ask {
  return { kind: "ask", reason, questions };
}

/** Makes one entry of a step: each action is sent only after the previous one has succeeded. Undefined actions are left out. */
export function inOrder(...actions: readonly (Action | undefined)[]): Action | Chain | undefined {
  const present = actions.filter((action) => action !== undefined);
  return present.length > 1 ? { type: "chain", actions: present } : present[0];
}

/** Returns steps of 1, 2, 4, … actions or chains, so that the rest is not tried if the first ones fail. */
export function slowStart<E extends Action | Chain>(entries: readonly E[], first = 1): readonly (readonly E[])[] {
  const steps: (readonly E[])[] = [];
  let size = first;
  for (let at = 0; at < entries.length; ) {
    steps.push(entries.slice(at, at + size));
    at += size;
    size *= 2;
  }
  return steps;
}

/** Returns all actions of a plan, in the order of the plan. */
export function actionsOf({ steps }: Pick<Plan, "steps">): readonly Action[] {
  return steps.flatMap((step) => step.flatMap((entry) => (entry.type === "chain" ? entry.actions : [entry])));
}

const noSteps: readonly Step[] = [];

function withoutGaps(steps: readonly (readonly Entry[])[]): readonly Step[] {
  const present: Step[] = [];
  for (const step of steps) {
    const entries = step.includes(undefined) ? step.filter((entry) => entry !== undefined) : (step as Step);
    if (entries.length > 0) present.push(entries);
  }
  return present;
}
