// Reads from the server, not from a cache. Used to answer questions and to settle writes whose answer was lost. Returns undefined for an
// object that does not exist.
import { isNotFound, type KubernetesObject, type Resource, type SubresourceTypes, splitKey } from "../api/index.ts";
import type { Client } from "../client/index.ts";
import type { LiveList, LiveView } from "../contract/for-drivers.ts";

export interface LiveListQuery {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly view?: LiveView;
}

export interface LiveReader {
  get(resource: Resource, key: string, view: LiveView, signal: AbortSignal): Promise<KubernetesObject | undefined>;
  /** The answer may have another kind than the resource, for example Scale. */
  getSubresource(
    resource: Resource,
    place: { readonly key: string; readonly subresource: string },
    signal: AbortSignal,
  ): Promise<KubernetesObject | undefined>;
  list(resource: Resource, query: LiveListQuery, signal: AbortSignal): Promise<LiveList<KubernetesObject>>;
}

export function liveReader(client: Client): LiveReader {
  const at = (resource: Resource, namespace: string | undefined, view: LiveView) => {
    const all =
      view === "full" ? client.resource<KubernetesObject, SubresourceTypes>(resource) : client.metadata(resource);
    return resource.namespaced && namespace !== undefined && namespace !== "" ? all.in(namespace) : all;
  };
  return {
    async get(resource, key, view, signal) {
      const { namespace, name } = splitKey(key);
      return await orAbsent(at(resource, namespace, view).get(name, signal));
    },
    async getSubresource(resource, { key, subresource }, signal) {
      const { namespace, name } = splitKey(key);
      const all = client.resource<KubernetesObject, SubresourceTypes>(resource);
      const inside = resource.namespaced && namespace !== "" ? all.in(namespace) : all;
      return await orAbsent(inside.subresource(subresource).get(name, signal));
    },
    async list(resource, { namespace, labelSelector, fieldSelector, view = "full" }, signal) {
      const selectors = {
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      };
      const { items, metadata } = await at(resource, namespace, view).list(selectors, signal).toArray();
      return { items, resourceVersion: metadata.resourceVersion ?? "" };
    },
  };
}

/**
 * A reader for an identity that may only list and watch, such as the identity of the shared informers in Kubernetes. It reads one object by
 * a list with the field selector metadata.name.
 */
export function listingReader(client: Client): Pick<LiveReader, "get" | "list"> {
  const { list } = liveReader(client);
  return {
    list,
    async get(resource, key, view, signal) {
      const { namespace, name } = splitKey(key);
      const { items } = await list(resource, { namespace, fieldSelector: `metadata.name=${name}`, view }, signal);
      return items[0];
    },
  };
}

async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
