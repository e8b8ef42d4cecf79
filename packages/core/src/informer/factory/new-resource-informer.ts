// The implementation of the generated `newPodInformer` and `newFilteredPodInformer`: an informer of one built-in resource that is not shared,
// like those in client-go's packages `informers/<group>/<version>`. Prefer a factory if more than one part of a program reads the resource:
// each informer made here has its own cache and watch.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import { type ListWatchOptions, newListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";

/** As in client-go, there are no indexes by default. Pass `indexers: namespaceIndexers` to get those that factories have. */
export interface NewResourceInformerOptions<T extends KubernetesObject> extends SharedIndexInformerOptions<T> {
  /** Default, or if "": all namespaces. Ignored for cluster-scoped resources. */
  readonly namespace?: string;
  /** False if the server behind the client does not support WatchList (a watch that begins with initial events). */
  readonly canWatchList?: boolean;
}

export interface NewFilteredResourceInformerOptions<T extends KubernetesObject> extends NewResourceInformerOptions<T> {
  /** Sets selectors and page size, for lists and watches alike; called once. client-go's TweakListOptionsFunc. */
  readonly tweak: NonNullable<ListWatchOptions["tweak"]>;
}

export type NewResourceInformer<T extends KubernetesObject> = (
  client: Client,
  options?: NewResourceInformerOptions<T>,
) => SharedIndexInformer<T>;

export type NewFilteredResourceInformer<T extends KubernetesObject> = (
  client: Client,
  options: NewFilteredResourceInformerOptions<T>,
) => SharedIndexInformer<T>;

export function newInformerOf<T extends KubernetesObject>(resource: Resource<T>): NewResourceInformer<T> {
  return (client, options = {}) => make(client, resource, options);
}

export function newFilteredInformerOf<T extends KubernetesObject>(
  resource: Resource<T>,
): NewFilteredResourceInformer<T> {
  return (client, options) => make(client, resource, options);
}

function make<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  options: NewResourceInformerOptions<T> & Partial<NewFilteredResourceInformerOptions<T>>,
): SharedIndexInformer<T> {
  const { namespace = "", canWatchList, tweak, ...others } = options;
  const source = newListWatchFromClient(client, resource, {
    ...(namespace === "" || !resource.namespaced ? {} : { namespace }),
    ...(canWatchList === undefined ? {} : { canWatchList }),
    ...(tweak === undefined ? {} : { tweak }),
    ...(others.clock === undefined ? {} : { clock: others.clock }),
  });
  return new SharedIndexInformer(source, others);
}
