// What the generated `newPodInformer` and `newFilteredPodInformer` are made of: an informer of one built-in resource that no factory shares, as
// those of client-go's packages `informers/<group>/<version>`. Always prefer a factory where more than one part of a program reads the resource:
// each of these has a cache and a watch of its own.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Client } from "../../client/index.ts";
import { type ListWatchOptions, newListWatchFromClient } from "../reflector/list-watch.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import type { SharedIndexInformerOptions } from "../shared/shared-index-informer-options.ts";

/** As client-go's, there are no indexes unless given: `indexers: namespaceIndexers` is what factories have. */
export interface NewResourceInformerOptions<T extends KubernetesObject> extends SharedIndexInformerOptions<T> {
  /** All unless given, or if it is "". Means nothing to what lives in no namespace. */
  readonly namespace?: string;
  /** False when the server behind the client cannot begin a watch with all there is. */
  readonly canWatchList?: boolean;
}

export interface NewFilteredResourceInformerOptions<T extends KubernetesObject> extends NewResourceInformerOptions<T> {
  /** Selectors and page size, for lists and watches alike; called once. client-go's TweakListOptionsFunc. */
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
