// Derives from an action and its result what a cache must show afterwards. The result is empty if nothing was written, or if the cache's
// watch cannot show the write. Pure.
import {
  controllerOf,
  findStatusError,
  isAlreadyExists,
  isNotFound,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  parseSelector,
  type Resource,
  splitKey,
  TransportError,
} from "../api/index.ts";
import { assertNever } from "../base/index.ts";
import { isDryRun, keyOfAction } from "../contract/for-drivers.ts";
import type { Action, ActionResult } from "../contract/index.ts";
import { coversNamespace, isOutside } from "./cache-scope.ts";
import { type Expected, foundGone, type LostWrite, type Removal, type SightedCache } from "./sightings.ts";

type WriteAction = Exclude<Action, { readonly type: "event" | "port" }>;
type DeleteAction = Extract<WriteAction, { readonly type: "delete" | "create-subresource" }>;

export function expectedAfter(action: Action, result: ActionResult, cache: SightedCache): readonly Expected[] {
  if (result.status === "skipped" || action.type === "event" || action.type === "port" || isDryRun(action)) return [];
  if (isForeign(action, result, cache)) return [];
  return result.status === "done"
    ? afterAnswer(action, result.value, cache)
    : afterFailure(action, result.error, cache);
}

function afterFailure(action: WriteAction, error: Error, cache: SightedCache): readonly Expected[] {
  const isLost = isAnswerLost(error);
  if (action.type === "deletecollection") return isLost ? removedOf(action, cache) : [];
  const { resource } = action;
  const key = keyOfAction(action);
  if (isLost) return [lostWrite(action, key)];
  if (key === undefined) return [];
  // AlreadyExists: the server has an object that the cache lacks. NotFound: the cache has an object that is gone. Both mean the cache is behind.
  if (isAlreadyExists(error)) return [{ kind: "lost", resource, key }];
  return isNotFound(error) ? foundGone(cache, resource, key) : [];
}

function afterAnswer(action: WriteAction, value: unknown, cache: SightedCache): readonly Expected[] {
  if (action.type === "deletecollection") return removedOf(action, cache);
  const { resource } = action;
  const answer = readAnswer(value);
  if (isDelete(action)) return afterDelete(action, answer, cache);
  const key = answer.key ?? keyOfAction(action);
  if (key === undefined) return [lostWrite(action, key)];
  const { uid, version } = answer;
  // The write removed the last finalizer, so the server removed the object, too. The version in the answer is the one before the removal.
  if (uid !== undefined && answer.state === "ended") {
    const wasCached = cache.getByKey(key)?.metadata.uid === uid;
    return [{ kind: "removed", resource, key, uid, removal: "gone", version, wasCached }];
  }
  if (version === undefined) return [{ kind: "lost", resource, key }];
  return [{ kind: "written", resource, key, version, isOwn: true }];
}

function afterDelete(action: DeleteAction, answer: Answer, cache: SightedCache): readonly Expected[] {
  const { resource, key } = action;
  const cached = cache.getByKey(key)?.metadata;
  const uid = answer.uid ?? cached?.uid;
  if (uid === undefined) return [];
  const version = answer.version ?? preconditionOf(action);
  const removal = removalOf(action, answer);
  return [{ kind: "removed", resource, key, uid, removal, version, wasCached: cached?.uid === uid }];
}

function isDelete(action: WriteAction): action is DeleteAction {
  return action.type === "delete" || (action.type === "create-subresource" && action.subresource === "eviction");
}

function removalOf(action: DeleteAction, { state }: Answer): Removal {
  // The answer to an eviction is the same whether the pod gets a grace period or not.
  if (action.type !== "delete") return "gone or marked";
  switch (state) {
    case "unknown":
    case "ended":
      return "gone or marked";
    case "status":
    case "alive":
      return "gone";
    case "held":
      return "marked";
    case "graceful":
      // If a terminating pod is deleted with grace period 0, the server answers with the pod as it was before: with its old grace period.
      return action.options.gracePeriodSeconds === 0 ? "gone" : "marked";
    default:
      return assertNever(state);
  }
}

function preconditionOf(action: DeleteAction): string | undefined {
  return action.type === "delete" ? action.options.preconditions?.resourceVersion : undefined;
}

/** Returns whether the object is not in the cache and the cache's scope excludes it, so the cache will never show the write. */
function isForeign(action: WriteAction, result: ActionResult, cache: SightedCache): boolean {
  const { scope } = cache;
  if (scope === undefined || action.type === "deletecollection") return false;
  const key = keyOfAction(action);
  const namespace = key === undefined ? namespaceOf(action) : splitKey(key).namespace;
  if (action.resource.namespaced && !coversNamespace(scope, namespace)) return true;
  const written = result.status === "done" ? objectOf(action, result.value) : undefined;
  // If the cache has the object and the write moved it out of the selector, the cache will show that as a removal.
  return written !== undefined && isOutside(scope, written) && cache.getByKey(keyOf(written)) === undefined;
}

function namespaceOf(action: WriteAction): string {
  return "object" in action ? (action.object.metadata.namespace ?? "") : "";
}

/** Returns the object if the server answered with it; undefined if the answer is something else, such as a Scale or a Status. */
export function objectOf({ resource }: { readonly resource: Resource }, value: unknown): KubernetesObject | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, metadata } = value as Partial<KubernetesObject>;
  return kind === resource.kind && metadata?.name ? (value as KubernetesObject) : undefined;
}

/** Returns whether the server may have executed the write although the request failed. */
export function isAnswerLost(error: Error): boolean {
  const status = findStatusError(error);
  // With a 5xx status the server may have stored the write; with any other error status it has refused it.
  if (status !== undefined) return (status.code ?? 0) >= 500;
  if (error instanceof TransportError) return error.wasSent === "maybe";
  // Aborted, timed out, or an answer that could not be decoded: the request may have reached the server. Writes that the driver itself
  // refuses were never sent.
  return !("reason" in error && (error.reason === "Undeclared" || error.reason === "Terminal"));
}

function lostWrite(action: WriteAction, key: string | undefined): LostWrite {
  const { resource } = action;
  if (key !== undefined || action.type !== "create") return { kind: "lost", resource, key: key ?? "" };
  const { namespace = "", generateName = "", labels = {} } = action.object.metadata;
  return { kind: "lost", resource, key, namespace, ownerUid: controllerOf(action.object)?.uid, generateName, labels };
}

function removedOf(
  action: Extract<Action, { readonly type: "deletecollection" }>,
  cache: SightedCache,
): readonly Expected[] {
  const selector = parseSelector(action.labelSelector ?? "");
  return cache
    .list()
    .filter(
      ({ metadata }) =>
        (action.namespace === undefined || metadata.namespace === action.namespace) &&
        matchesSelector(selector, metadata.labels),
    )
    .flatMap((object) => foundGone(cache, action.resource, keyOf(object)))
    .map((removed) => ({ ...removed, removal: "gone or marked" }));
}

/** What the server's answer says about the object. The answer is the object itself, or a Status about it. */
interface Answer {
  readonly key?: string | undefined;
  readonly uid?: string | undefined;
  readonly version?: string | undefined;
  readonly state: ObjectState;
}

type ObjectState =
  /** The answer does not say. */
  | "unknown"
  /** The answer is a Status instead of the object. */
  | "status"
  | "alive"
  /** Terminating, and it still has finalizers. */
  | "held"
  /** Terminating, and it has a grace period. */
  | "graceful"
  /** Terminating, without finalizers and without a grace period. */
  | "ended";

function readAnswer(value: unknown): Answer {
  if (typeof value !== "object" || value === null) return { state: "unknown" };
  const { kind, details, metadata } = value as Partial<KubernetesObject> & { readonly details?: { uid?: string } };
  if (kind === "Status") return { uid: details?.uid, state: "status" };
  if (metadata === undefined) return { state: "unknown" };
  const { name, uid, resourceVersion: version } = metadata;
  return { key: name ? keyOf({ metadata }) : undefined, uid, version, state: stateOf(value as KubernetesObject) };
}

function stateOf(object: KubernetesObject): ObjectState {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return "alive";
  // Namespaces have finalizers in their spec, too.
  const { spec } = object as KubernetesObject & { readonly spec?: { readonly finalizers?: unknown } };
  const others = Array.isArray(spec?.finalizers) ? spec.finalizers.length : 0;
  if (finalizers.length + others > 0) return "held";
  return deletionGracePeriodSeconds > 0 ? "graceful" : "ended";
}
