// What came of a plan, action by action: what `report` and `learn` look at.
import { KubeloopError } from "../base/index.ts";
import type { Action } from "./actions.ts";

export type ActionResult =
  /** The object as the server answered it, or what the port gave; undefined where there is nothing to give. */
  | { readonly status: "done"; readonly value: unknown }
  /** It failed in a way the action tolerates. */
  | { readonly status: "tolerated"; readonly error: Error }
  | { readonly status: "failed"; readonly error: Error }
  /** A step before it failed. */
  | { readonly status: "skipped" };

const skipped: ActionResult = { status: "skipped" };

export class Outcome {
  readonly #results: ReadonlyMap<Action, ActionResult>;

  constructor(results: Iterable<readonly [Action, ActionResult]> = []) {
    this.#results = new Map(results);
  }

  get entries(): Iterable<readonly [Action, ActionResult]> {
    return this.#results;
  }

  /** Skipped, for an action that was no part of the plan. */
  resultOf(action: Action): ActionResult {
    return this.#results.get(action) ?? skipped;
  }

  /** Done, or failed as it may. */
  isDone(action: Action): boolean {
    const { status } = this.resultOf(action);
    return status === "done" || status === "tolerated";
  }

  /** What the server or the port answered; undefined unless it was done. */
  valueOf<R>(action: Action<R>): R | undefined {
    const result = this.resultOf(action);
    return result.status === "done" ? (result.value as R) : undefined;
  }

  failureOf(action: Action): Error | undefined {
    const result = this.resultOf(action);
    return result.status === "failed" ? result.error : undefined;
  }

  get failures(): readonly Error[] {
    return [...this.#results.values()].flatMap((result) => (result.status === "failed" ? [result.error] : []));
  }

  /** The one failure, or all of them in one; undefined when there is none. */
  get error(): Error | undefined {
    const { failures } = this;
    if (failures.length < 2) return failures[0];
    const message = `${failures.length} actions failed, first: ${failures[0]?.message}`;
    return new KubeloopError(message, { reason: "ActionsFailed", cause: failures[0] });
  }
}
