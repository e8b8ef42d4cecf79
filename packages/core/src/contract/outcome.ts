// What came of a plan, action by action: what `report` and `learn` are given, together with the plan itself and its notes.
//
// An action of the plan is looked up by itself (`resultOf`), or by what it was about (`find`, `isDoneOn`, `objectOn`). Every look-up that
// names a resource and a key costs the same, however many actions there were.
import { isAlreadyExists, type KubernetesObject, type Resource } from "../api/index.ts";
import { KubeloopError } from "../base/index.ts";
import { type Action, keyOfAction } from "./actions.ts";
import { actionsOf, type Plan } from "./plan.ts";
import { resourceId } from "./snapshot.ts";

export type ActionResult =
  /** The object as the server answered it, or what the port gave; undefined where there is nothing to give. */
  | { readonly status: "done"; readonly value: unknown }
  /** It failed in a way that the action tolerates. */
  | { readonly status: "tolerated"; readonly error: Error }
  /** With `isUnknown`, it may have been carried out all the same: the answer was lost. */
  | { readonly status: "failed"; readonly error: Error; readonly isUnknown?: boolean }
  /** It was never sent: an earlier step or an earlier action of its chain failed, or the reconcile was aborted. */
  | { readonly status: "skipped" };

export interface ActionMatch {
  readonly type?: Action["type"];
  readonly resource?: Resource;
  /** Of the object it is about; creates whose name the server chooses have none. */
  readonly key?: string;
  /** "" for the object itself. */
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
  /** By resource and key. */
  #byObject: Map<string, Map<string, FoundAction[]>> | undefined;

  constructor(plan: Plan<Notes>, results: Iterable<readonly [Action, ActionResult]> = []) {
    this.plan = plan;
    this.#results = results instanceof Map ? results : new Map(results);
  }

  /** What `decide` noted for `report`; undefined where it noted nothing. */
  get notes(): Notes | undefined {
    return this.plan.notes;
  }

  /** In the order of the plan. */
  get all(): readonly FoundAction[] {
    this.#found ??= actionsOf(this.plan).map((action) => ({ action, result: this.resultOf(action) }));
    return this.#found;
  }

  /** Skipped, for an action that was no part of the plan. */
  resultOf(action: Action): ActionResult {
    return this.#results.get(action) ?? skipped;
  }

  /** In the order of the plan. */
  find(match: ActionMatch): readonly FoundAction[] {
    const { resource, key } = match;
    const some = resource === undefined || key === undefined ? this.all : this.#on(resource, key);
    return some.filter(({ action }) => isMatch(action, match));
  }

  /** Whether something was to be done to this object, and all of it was done. */
  isDoneOn(resource: Resource, key: string, match: Omit<ActionMatch, "resource" | "key"> = {}): boolean {
    let isDone = false;
    for (const { action, result } of this.#on(resource, key)) {
      if (!isMatch(action, match)) continue;
      if (result.status !== "done" && result.status !== "tolerated") return false;
      isDone = true;
    }
    return isDone;
  }

  /** The object as the plan's last successful write to it left it; undefined if there was none, or it deleted the object. */
  objectOn<T extends KubernetesObject>(resource: Resource<T>, key: string): T | undefined {
    const last = this.#on(resource, key).findLast(({ result }) => result.status === "done");
    const value =
      last?.result.status === "done" ? (last.result.value as Partial<KubernetesObject> | undefined) : undefined;
    // A delete may be answered with a Status, a subresource with another kind.
    return value?.kind === resource.kind && last?.action.type !== "delete" ? (value as T) : undefined;
  }

  /** Done, or failed in a way that the action tolerates. */
  isDone(action: Action): boolean {
    const { status } = this.resultOf(action);
    return status === "done" || status === "tolerated";
  }

  /** The action certainly had no effect: the server refused it, or it was never sent. False if the response was lost. */
  isRefused(action: Action): boolean {
    const result = this.resultOf(action);
    return result.status === "skipped" || (result.status === "failed" && result.isUnknown !== true);
  }

  /** Whether some action was certainly not carried out: what was reserved for it may be given back. */
  get isAnyRefused(): boolean {
    return this.all.some(({ action }) => this.isRefused(action));
  }

  /** Whether every action was done. */
  get isComplete(): boolean {
    return this.all.every(({ action }) => this.isDone(action));
  }

  /** What the server or the port answered; undefined unless the action was done. */
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

  /** Whether a create was refused, and that was tolerated, because the object exists: the cache that was decided on does not have it. */
  get hasFoundExisting(): boolean {
    for (const result of this.#results.values()) {
      if (result.status === "tolerated" && isAlreadyExists(result.error)) return true;
    }
    return false;
  }

  /** The one failure, or all of them in one; undefined when there is none. */
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
