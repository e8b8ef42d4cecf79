// The result of each action of a plan. `report` and `learn` receive an Outcome, which also has the plan itself and its notes.
//
// Results are looked up by the action itself (`resultOf`), or by the object that the action was about (`find`, `isDoneOn`, `objectOn`). A
// look-up by resource and key uses an index, so its cost does not depend on the number of actions in the plan.
import { isAlreadyExists, type KubernetesObject, type Resource } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import { type Action, keyOfAction } from "./actions.ts";
import { actionsOf, type Plan } from "./plan.ts";
import { resourceId } from "./snapshot.ts";

export type ActionResult =
  /** `value` is the object that the server returned, or the answer of the port; undefined if there is neither. */
  | { readonly status: "done"; readonly value: unknown }
  /** The action failed with an error that it tolerates. */
  | { readonly status: "tolerated"; readonly error: Error }
  /** If `isUnknown` is true, the response was lost, so the server may have carried the action out. */
  | { readonly status: "failed"; readonly error: Error; readonly isUnknown?: boolean }
  /** The action was never sent: an earlier step or an earlier action of its chain failed, or the reconcile was aborted. */
  | { readonly status: "skipped" };

export interface ActionMatch {
  readonly type?: Action["type"];
  readonly resource?: Resource;
  /** The key of the object that the action is about. A create whose name the server chooses has no key. */
  readonly key?: string;
  /** "" for actions on the object itself. */
  readonly subresource?: string;
}

export interface FoundAction {
  readonly action: Action;
  readonly result: ActionResult;
}

const skipped: ActionResult = { status: "skipped" };
const none: readonly FoundAction[] = [];

export class Outcome<Notes = unknown> {
  /** The plan that was carried out. */
  readonly plan: Plan<Notes>;
  readonly #results: ReadonlyMap<Action, ActionResult>;
  #found: readonly FoundAction[] | undefined;
  /** The actions by resource and key. */
  #byObject: Map<string, Map<string, FoundAction[]>> | undefined;

  constructor(plan: Plan<Notes>, results: Iterable<readonly [Action, ActionResult]> = []) {
    this.plan = plan;
    this.#results = results instanceof Map ? results : new Map(results);
  }

  /** The notes that `decide` put into the plan for `report` and `learn`; undefined if there are none. */
  get notes(): Notes | undefined {
    return this.plan.notes;
  }

  /** All actions with their results, in the order of the plan. */
  get all(): readonly FoundAction[] {
    this.#found ??= actionsOf(this.plan).map((action) => ({ action, result: this.resultOf(action) }));
    return this.#found;
  }

  /** Returns the result of an action: "skipped" if the action was not in the plan. */
  resultOf(action: Action): ActionResult {
    return this.#results.get(action) ?? skipped;
  }

  /** Returns the actions that match, with their results, in the order of the plan. */
  find(match: ActionMatch): readonly FoundAction[] {
    const { resource, key } = match;
    const some = resource === undefined || key === undefined ? this.all : this.#on(resource, key);
    return some.filter(({ action }) => isMatch(action, match));
  }

  /** Whether the plan had matching actions on this object, and all of them were done or failed with an error that they tolerate. */
  isDoneOn(resource: Resource, key: string, match: Omit<ActionMatch, "resource" | "key"> = {}): boolean {
    let isDone = false;
    for (const { action, result } of this.#on(resource, key)) {
      if (!isMatch(action, match)) continue;
      if (result.status !== "done" && result.status !== "tolerated") return false;
      isDone = true;
    }
    return isDone;
  }

  /**
   * Returns the object as the server returned it for the last successful write of the plan to it. Undefined if no write succeeded, or if
   * the last one deleted the object.
   */
  objectOn<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    const last = this.#on(resource, key).findLast(({ result }) => result.status === "done");
    const value =
      last?.result.status === "done" ? (last.result.value as Partial<KubernetesObject> | undefined) : undefined;
    // The server may answer a delete with a Status, and a write to a subresource with another kind.
    return value?.kind === resource.kind && last?.action.type !== "delete" ? (value as T) : undefined;
  }

  /** Whether the action was done, or failed with an error that it tolerates. */
  isDone(action: Action): boolean {
    const { status } = this.resultOf(action);
    return status === "done" || status === "tolerated";
  }

  /** Whether the action certainly had no effect: the server refused it, or it was never sent. False if the response was lost. */
  isRefused(action: Action): boolean {
    const result = this.resultOf(action);
    return result.status === "skipped" || (result.status === "failed" && result.isUnknown !== true);
  }

  /** Whether at least one action certainly had no effect, so that `learn` may release what `reserve` took for it. */
  get isAnyRefused(): boolean {
    return this.all.some(({ action }) => this.isRefused(action));
  }

  /** Whether `isDone` is true for every action. */
  get isComplete(): boolean {
    return this.all.every(({ action }) => this.isDone(action));
  }

  /** Returns the answer of the server or of the port; undefined unless the action was done. */
  valueOf<R>(action: Action<R>): R | undefined {
    const result = this.resultOf(action);
    return result.status === "done" ? (result.value as R) : undefined;
  }

  failureOf(action: Action): Error | undefined {
    const result = this.resultOf(action);
    return result.status === "failed" ? result.error : undefined;
  }

  get failures(): readonly Error[] {
    return this.all.flatMap(({ result }) => (result.status === "failed" ? [result.error] : []));
  }

  get hasFailed(): boolean {
    for (const { status } of this.#results.values()) if (status === "failed") return true;
    return false;
  }

  /**
   * Whether a create failed with AlreadyExists and tolerated that. The object exists, so the
   * cache that `decide` was based on does not have it yet.
   */
  get hasFoundExisting(): boolean {
    for (const result of this.#results.values()) {
      if (result.status === "tolerated" && isAlreadyExists(result.error)) return true;
    }
    return false;
  }

  /** The failure if there is one, one error for all if there are several, undefined if there is none. */
  get error(): Error | undefined {
    if (!this.hasFailed) return undefined;
    const { failures } = this;
    if (failures.length < 2) return failures[0];
    const message = `${failures.length} actions failed, first: ${failures[0]?.message}`;
    return new KubeloopError(message, { reason: "ActionsFailed", cause: failures[0] });
  }

  #on(resource: Resource, key: string): readonly FoundAction[] {
    this.#byObject ??= indexByObject(this.all);
    return this.#byObject.get(resourceId(resource))?.get(key) ?? none;
  }
}

function indexByObject(all: readonly FoundAction[]): Map<string, Map<string, FoundAction[]>> {
  const byObject = new Map<string, Map<string, FoundAction[]>>();
  for (const found of all) {
    const { action } = found;
    const key = keyOfAction(action);
    if (key === undefined || !("resource" in action)) continue;
    const id = resourceId(action.resource);
    const byKey = byObject.get(id) ?? new Map<string, FoundAction[]>();
    byObject.set(id, byKey);
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [found]);
    else others.push(found);
  }
  return byObject;
}

function isMatch(action: Action, { type, resource, key, subresource }: ActionMatch): boolean {
  if (type !== undefined && action.type !== type) return false;
  if (resource !== undefined && !("resource" in action && isSameResource(action.resource, resource))) return false;
  if (key !== undefined && keyOfAction(action) !== key) return false;
  const its = "subresource" in action ? (action.subresource ?? "") : "";
  return subresource === undefined || its === subresource;
}

function isSameResource(one: Resource, other: Resource): boolean {
  return one === other || resourceId(one) === resourceId(other);
}
