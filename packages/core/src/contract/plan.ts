// What `decide` returns: a plan, or questions. A plan is ordered steps of actions, the reason in words, and when to look again.
//
// How a plan is carried out: step by step; the actions of a step run in parallel, and all of them are tried; a step with a failure is the
// last one. `inOrder(a, b)` is one entry of a step: b is sent only after a has succeeded, and the other entries of the step do not
// wait for it. So order is data (status before finalizers), and so is slow start: `slowStart` makes steps of 1, 2, 4, … actions,
// and a quota that refuses 500 pods costs one request.
import type { Action } from "./actions.ts";
import type { Measurement } from "./metrics.ts";
import type { Question } from "./questions.ts";

/** Carried out in parallel. */
export type Step = readonly (Action | Chain)[];

/** Actions one after the other; the first failure is the last one tried. Made by `inOrder`. */
export interface Chain {
  readonly type: "chain";
  readonly actions: readonly Action[];
}

export type Decision<Notes = unknown> = Plan<Notes> | Ask;

export interface Plan<Notes = unknown> extends PlanOptions<Notes> {
  readonly kind: "plan";
  /** In words, for logs and tests: "scale up", "in balance". */
  readonly reason: string;
  readonly steps: readonly Step[];
}

export interface PlanOptions<Notes = unknown> {
  /** When to look at the key again although nothing will have changed: a deadline, a schedule. */
  readonly requeueAfterMs?: number | undefined;
  /** Other keys to look at; of the same queue unless another is named. */
  readonly wakes?: readonly Wake[] | undefined;
  /** Part of it could not be decided: the plan is carried out, and the key is tried again with back-off as after a failure. */
  readonly unfinished?: Error | undefined;
  /** What is measured with it: recorded once, before the first action. */
  readonly measures?: readonly Measurement[] | undefined;
  /** What `decide` worked out and `report` or `learn` needs again. */
  readonly notes?: Notes | undefined;
}

export interface Ask {
  readonly kind: "ask";
  readonly reason: string;
  readonly questions: readonly Question[];
}

/** A key to look at: alone, or with its queue, a delay and a priority. */
export type Wake =
  | string
  | {
      readonly key: string;
      /** From a plan, the queue of that plan's key unless given; from a watch, the watch's; otherwise the controller's first. */
      readonly queue?: string;
      readonly afterMs?: number;
      /** Higher goes first; 0 unless given. Objects of an initial list have -100. */
      readonly priority?: number;
    };

type Entry = Action | Chain | undefined;

/** Entries that are undefined (an edit that changes nothing) and steps without actions are left out. */
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

/** Nothing can be decided now; the key is tried again with back-off. */
export function unfinished(reason: string, error: Error): Plan<undefined> {
  return nothing(reason, { unfinished: error });
}

export function ask(reason: string, ...questions: readonly Question[]): Ask {
  return { kind: "ask", reason, questions };
}

/** One entry of a step: each action only after the one before it has succeeded. Undefined ones are left out. */
export function inOrder(...actions: readonly (Action | undefined)[]): Action | Chain | undefined {
  const present = actions.filter((action) => action !== undefined);
  return present.length > 1 ? { type: "chain", actions: present } : present[0];
}

/** Steps of 1, 2, 4, … actions or chains: when the first ones fail, the rest is not tried. */
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

/** All actions of a plan, in its order. */
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
