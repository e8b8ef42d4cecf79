// What `decide` returns: a plan, or questions. A plan is ordered steps of actions, in words why, and when to look again.
//
// How a plan is carried out: step by step; the actions of a step side by side, all of them tried; the first step with a failure
// is the last. So order is data (status before finalizers), and so is slow start: `slowStart` makes steps of 1, 2, 4, … and a
// quota that refuses 500 pods costs one request.
import type { Action } from "./actions.ts";
import type { Question } from "./questions.ts";

/** Side by side. */
export type Step = readonly Action[];

export type Decision = Plan | Ask;

export interface Plan extends PlanOptions {
  readonly kind: "plan";
  /** In words, for logs and tests: "scale up", "in balance". */
  readonly reason: string;
  readonly steps: readonly Step[];
}

export interface PlanOptions {
  /** When to look again although nothing will have happened: a deadline, a schedule. */
  readonly requeueAfterMs?: number | undefined;
  /** Other keys to look at. */
  readonly wakes?: readonly Wake[] | undefined;
  /** Part of it could not be decided: what is here is done, and the key tried again with back-off as after a failure. */
  readonly unfinished?: Error | undefined;
}

export interface Ask {
  readonly kind: "ask";
  readonly reason: string;
  readonly questions: readonly Question[];
}

/** A key to look at; alone, or with the queue it is for (the first one unless given), how long from now, and how urgent. */
export type Wake =
  | string
  | {
      readonly key: string;
      readonly queue?: string;
      readonly afterMs?: number;
      /** Higher goes first; 0 unless given. What only began to be watched has -100. */
      readonly priority?: number;
    };

/** Steps without actions are left out. */
export function plan(reason: string, steps: readonly Step[], options: PlanOptions = {}): Plan {
  return { kind: "plan", reason, steps: steps.filter((step) => step.length > 0), ...options };
}

export function nothing(reason: string, options: PlanOptions = {}): Plan {
  return plan(reason, [], options);
}

/** Nothing can be decided now; tried again with back-off. */
export function unfinished(reason: string, error: Error): Plan {
  return nothing(reason, { unfinished: error });
}

export function ask(reason: string, ...questions: readonly Question[]): Ask {
  return { kind: "ask", reason, questions };
}

/** Steps of 1, 2, 4, … actions: whatever makes the first fail spares the rest. */
export function slowStart(actions: readonly Action[], first = 1): readonly Step[] {
  const steps: Step[] = [];
  let size = first;
  for (let at = 0; at < actions.length; ) {
    steps.push(actions.slice(at, at + size));
    at += size;
    size *= 2;
  }
  return steps;
}

export function actionsOf({ steps }: Pick<Plan, "steps">): readonly Action[] {
  return steps.flat();
}
