// Fixtures for tests about own writes: pods, caches and readers built from plain objects.
import { pods } from "../api/generated/resources.ts";
import {
  type corev1,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  parseSelector,
  TransportError,
} from "../api/index.ts";
import { type ActionResult, create } from "../contract/index.ts";
import type { CacheScope } from "./cache-scope.ts";
import type { LiveReader } from "./live-reader.ts";
import type { ScopedCache } from "./settle-writes.ts";
import type { Expected, LostGenerated, RemovedObject } from "./sightings.ts";

export const never = new AbortController().signal;
export const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner", controller: true };
export const deletionTimestamp = "2030-01-01T00:00:00Z";
export const lostAnswer = new TransportError("reset", { reason: "ConnectionReset", wasSent: "maybe" });

export const done = (value: unknown): ActionResult => ({ status: "done", value });
export const failed = (error: Error): ActionResult => ({ status: "failed", error });

export function pod(name: string, metadata: corev1.Pod["metadata"] = {}): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name, uid: `uid-${name}`, resourceVersion: "5", ...metadata },
    spec: { containers: [] },
  };
}

/** A create whose name the server generates. */
export function generated(metadata: corev1.Pod["metadata"] = {}) {
  const { name: _, uid: __, resourceVersion: ___, ...bare } = pod("a").metadata;
  return create(pods, {
    ...pod("a"),
    metadata: { ...bare, generateName: "web-", ownerReferences: [owner], ...metadata },
  });
}

export const written = (version: string, isOwn = true): Expected => ({
  ...{ kind: "written", resource: pods, key: "shop/a", version, isOwn },
});

export const removed = (more: Partial<RemovedObject> = {}): RemovedObject => ({
  ...{ kind: "removed", resource: pods, key: "shop/a", uid: "uid-a", removal: "gone" },
  ...{ version: undefined, wasCached: true },
  ...more,
});

export const lost: Expected = { kind: "lost", resource: pods, key: "shop/a" };

export const lostGenerated = (more: Partial<LostGenerated> = {}): LostGenerated => ({
  ...{ kind: "lost", resource: pods, key: undefined, namespace: "shop", ownerUid: "owner", generateName: "web-" },
  labels: {},
  ...more,
});

export function cacheOf(
  objects: readonly KubernetesObject[],
  resourceVersion = "5",
  scope: CacheScope = {},
): ScopedCache {
  return {
    scope,
    resourceVersion,
    isFollowing: () => true,
    getByKey: (key) => objects.find((object) => keyOf(object) === key),
    list: () => objects,
  };
}

/** A cache that a test changes, and that counts how often it is read. */
export class TestCache implements ScopedCache {
  readonly scope: CacheScope;
  resourceVersion = "5";
  reads = 0;
  isStopped = false;
  readonly #objects = new Map<string, KubernetesObject>();

  constructor(scope: CacheScope = {}) {
    this.scope = scope;
  }

  isFollowing(): boolean {
    return !this.isStopped;
  }

  getByKey(key: string): KubernetesObject | undefined {
    this.reads++;
    return this.#objects.get(key);
  }

  list(): readonly KubernetesObject[] {
    return [...this.#objects.values()];
  }

  /** Stores an object as a watch event would: the cache then has the resourceVersion of the object. */
  set(object: KubernetesObject): void {
    this.#objects.set(keyOf(object), object);
    this.resourceVersion = object.metadata.resourceVersion ?? this.resourceVersion;
  }

  delete(key: string, resourceVersion: string): void {
    this.#objects.delete(key);
    this.resourceVersion = resourceVersion;
  }
}

/** A reader that returns these objects, and records the requests in `asked`. */
export function readerOf(
  objects: readonly KubernetesObject[],
): Pick<LiveReader, "get" | "list"> & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async get(_resource, key) {
      asked.push(`get ${key}`);
      return objects.find((object) => keyOf(object) === key);
    },
    async list(_resource, { namespace, labelSelector, fieldSelector }) {
      asked.push(`list ${namespace} ${labelSelector ?? ""} ${fieldSelector ?? ""}`.trimEnd());
      const name = /metadata.name=([^,]*)/.exec(fieldSelector ?? "")?.[1];
      const selector = parseSelector(labelSelector ?? "");
      const items = objects.filter(
        ({ metadata }) =>
          (namespace === "" || metadata.namespace === namespace) &&
          (name === undefined || metadata.name === name) &&
          matchesSelector(selector, metadata.labels),
      );
      return { items, resourceVersion: "99" };
    },
  };
}
