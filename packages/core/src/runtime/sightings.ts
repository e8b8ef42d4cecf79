// What a cache must show before a key may be looked at again, as pure data and rules: after each write, where the cache has to
// have got to.
//
// - `written`: as far as this version of the object. The cache's own version counts too: what the watch left out, because it is
//   outside of its selector or came and went, does not appear, but the version passes it.
// - `removed`: without the object of this uid, or with it terminating. One made anew under its name is another one.
//   Whatever a watch cannot show, because it is in another namespace or its labels are not those selected, is not waited for.
// - `lost`: nobody knows whether the write was carried out. Only a live read can tell, and turns it into the others.
import {
  compareResourceVersions,
  controllerOf,
  findStatusError,
  isAlreadyExists,
  isNotFound,
  isResourceVersion,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  parseSelector,
  type Resource,
  splitKey,
  TransportError,
} from "../api/index.ts";
import { isDryRun, keyOfAction } from "../contract/for-drivers.ts";
import type { Action, ActionResult } from "../contract/index.ts";
import { type CacheScope, coversNamespace, isOutside } from "./cache-scope.ts";

export type Expected =
  | { readonly kind: "written"; readonly resource: Resource; readonly key: string; readonly version: string }
  | {
      readonly kind: "removed";
      readonly resource: Resource;
      readonly key: string;
      readonly uid: string;
      /** Of the deletion, where the server told. */
      readonly version: string | undefined;
      /** Whether the cache had it when it was removed: if not, its absence says nothing. */
      readonly wasCached: boolean;
    }
  | LostWrite;

export type LostWrite =
  | { readonly kind: "lost"; readonly resource: Resource; readonly key: string }
  /** A name that was the server's to choose: found by its controller, or else by what the name begins with. */
  | {
      readonly kind: "lost";
      readonly resource: Resource;
      readonly key: undefined;
      readonly namespace: string;
      readonly ownerUid: string | undefined;
      readonly generateName: string;
    };

/** What is looked at of a cache. */
export interface SightedCache {
  /** All there is, unless given. */
  readonly scope?: CacheScope;
  readonly resourceVersion: string;
  getByKey(key: string): KubernetesObject | undefined;
  list(): readonly KubernetesObject[];
}

export function isSighted(expected: Expected, cache: SightedCache): boolean {
  if (expected.kind === "lost") return false;
  const cached = cache.getByKey(expected.key);
  if (expected.kind === "written") {
    return (
      hasReached(cached?.metadata.resourceVersion, expected.version) ||
      hasReached(cache.resourceVersion, expected.version)
    );
  }
  if (cached !== undefined) {
    return cached.metadata.uid !== expected.uid || cached.metadata.deletionTimestamp !== undefined;
  }
  return expected.wasCached || expected.version === undefined || hasReached(cache.resourceVersion, expected.version);
}

/** What must be seen after an action; nothing where nothing was written. */
export function expectedAfter(action: Action, result: ActionResult, cache: SightedCache): readonly Expected[] {
  if (result.status === "skipped" || action.type === "event" || action.type === "port" || isDryRun(action)) return [];
  const { resource } = action;
  if (isForeign(action, result, cache)) return [];
  const error = "error" in result ? result.error : undefined;
  if (action.type === "deletecollection") {
    return error === undefined || isAnswerLost(error) ? removedOf(action, cache) : [];
  }
  const key = keyOfAction(action);
  if (error !== undefined) {
    if (isAnswerLost(error)) return [lostWrite(action, resource, key)];
    if (key === undefined) return [];
    // The cache does not know of what is there, or believes in what is gone: either way it is behind.
    if (isAlreadyExists(error)) return [{ kind: "lost", resource, key }];
    return isNotFound(error) ? removedFrom(cache, resource, key) : [];
  }
  const value = result.status === "done" ? identityOf(result.value) : {};
  if (action.type === "delete" || (action.type === "create-subresource" && action.subresource === "eviction")) {
    const wasCached = cache.getByKey(action.key);
    const uid = value.uid ?? wasCached?.metadata.uid;
    if (uid === undefined) return [];
    const isCached = wasCached?.metadata.uid === uid;
    return [{ kind: "removed", resource, key: action.key, uid, version: value.version, wasCached: isCached }];
  }
  const written = value.key ?? key;
  if (written === undefined) return [lostWrite(action, resource, key)];
  if (value.version === undefined) return [{ kind: "lost", resource, key: written }];
  return [{ kind: "written", resource, key: written, version: value.version }];
}

/** Nothing the cache has, or could come to show. */
function isForeign(action: WriteAction, result: ActionResult, cache: SightedCache): boolean {
  const { scope } = cache;
  if (scope === undefined || action.type === "deletecollection") return false;
  const key = keyOfAction(action);
  const namespace = key === undefined ? namespaceOf(action) : splitKey(key).namespace;
  if (action.resource.namespaced && !coversNamespace(scope, namespace)) return true;
  const written = result.status === "done" ? objectOf(action, result.value) : undefined;
  // What it has may be on its way out of the selection, and that it will show.
  return written !== undefined && isOutside(scope, written) && cache.getByKey(keyOf(written)) === undefined;
}

type WriteAction = Exclude<Action, { readonly type: "event" | "port" }>;

function namespaceOf(action: WriteAction): string {
  return "object" in action ? (action.object.metadata.namespace ?? "") : "";
}

/** The object itself, if that is what was answered: not a Scale of it, nor a Status about it. */
export function objectOf({ resource }: { readonly resource: Resource }, value: unknown): KubernetesObject | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, metadata } = value as Partial<KubernetesObject>;
  return kind === resource.kind && metadata?.name ? (value as KubernetesObject) : undefined;
}

/** Whether the write may have been carried out although it failed. */
export function isAnswerLost(error: Error): boolean {
  const status = findStatusError(error);
  // A server that fails may have stored it; one that refuses has not.
  if (status !== undefined) return (status.code ?? 0) >= 500;
  if (error instanceof TransportError) return error.wasSent === "maybe";
  // Aborted, timed out, or not understood: it may have got there.
  return !("reason" in error && error.reason === "Undeclared");
}

/** What the cache holds of an object that is gone, if it still does. */
export function removedFrom(cache: SightedCache, resource: Resource, key: string): readonly Expected[] {
  const uid = cache.getByKey(key)?.metadata.uid;
  return uid === undefined ? [] : [{ kind: "removed", resource, key, uid, version: undefined, wasCached: true }];
}

/** Versions that cannot be compared never hold anything up. */
function hasReached(version: string | undefined, wanted: string): boolean {
  if (!isResourceVersion(wanted)) return true;
  if (version === undefined || version === "") return false;
  return !isResourceVersion(version) || compareResourceVersions(version, wanted) >= 0;
}

function lostWrite(action: Action, resource: Resource, key: string | undefined): Expected {
  if (key !== undefined || action.type !== "create") return { kind: "lost", resource, key: key ?? "" };
  const { namespace = "", generateName = "" } = action.object.metadata;
  return { kind: "lost", resource, key, namespace, ownerUid: controllerOf(action.object)?.uid, generateName };
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
    .flatMap((object) => removedFrom(cache, action.resource, keyOf(object)));
}

/** What an answer tells about the object: itself, or a Status about it. */
function identityOf(value: unknown): { readonly key?: string; readonly uid?: string; readonly version?: string } {
  if (typeof value !== "object" || value === null) return {};
  const { kind, metadata, details } = value as {
    readonly kind?: string;
    readonly metadata?: KubernetesObject["metadata"];
    readonly details?: { readonly uid?: string };
  };
  if (kind === "Status") return details?.uid === undefined ? {} : { uid: details.uid };
  const { name, uid, resourceVersion } = metadata ?? {};
  return {
    ...(name ? { key: keyOf({ metadata: metadata ?? {} }) } : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { version: resourceVersion }),
  };
}
