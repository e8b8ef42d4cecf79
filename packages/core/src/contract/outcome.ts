// What came of a plan, action by action: what `report` and `learn` look at.
//
// `report` does not know the very actions `decide` made; it finds them by what they were about (`find`, `on`).
import { type KubernetesObject, keyOf, type Resource } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import type { Action } from "./actions.ts";
import { resourceId } from "./snapshot.ts";

export type ActionResult =
  /** The object as the server answered it, or what the port gave; undefined where there is nothing to give. */
  | { readonly status: "done"; readonly value: unknown }
  /** It failed in a way the action tolerates. */
  | { readonly status: "tolerated"; readonly error: Error }
  | { readonly status: "failed"; readonly error: Error }
  /** A step before it failed. */
  | { readonly status: "skipped" };

export interface ActionMatch {
  readonly type?: Action["type"];
  readonly resource?: Resource;
  /** Of the object it is about; creates of a name that the server chooses have none. */
  readonly key?: string;
  /** "" for the object itself. */
  readonly subresource?: string;
}

export interface FoundAction {
  readonly action: Action;
  readonly result: ActionResult;
}

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

  /** In the order of the plan. */
  find(match: ActionMatch): readonly FoundAction[] {
    return [...this.#results].flatMap(([action, result]) => (matches(action, match) ? [{ action, result }] : []));
  }

  /** Whether something was to be done to this object, and all of it was. */
  isDoneOn(resource: Resource, key: string, match: Omit<ActionMatch, "resource" | "key"> = {}): boolean {
    const found = this.find({ ...match, resource, key });
    return found.length > 0 && found.every(({ action }) => this.isDone(action));
  }

  /** The object as the last write to it left it; undefined if there was none, or it failed. */
  objectOn<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    const values = this.find({ resource, key }).flatMap(({ result }) =>
      result.status === "done" && result.value !== undefined ? [result.value as T] : [],
    );
    return values.at(-1);
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

function matches(action: Action, { type, resource, key, subresource }: ActionMatch): boolean {
  if (type !== undefined && action.type !== type) return false;
  if (resource !== undefined && !("resource" in action && resourceId(action.resource) === resourceId(resource)))
    return false;
  if (key !== undefined && keyOfAction(action) !== key) return false;
  const its = "subresource" in action ? (action.subresource ?? "") : "";
  return subresource === undefined || its === subresource;
}

/** Of the object an action is about; undefined for several, for none, and where the server chooses the name. */
export function keyOfAction(action: Action): string | undefined {
  if ("key" in action) return action.key;
  if (!("object" in action)) return undefined;
  return action.object.metadata.name ? keyOf(action.object) : undefined;
}
