// How a factory creates an informer: from the source, the namespace index that listers use, and the factory's options.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import { defaultLog } from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import { requirePeriodMs } from "../option-checks.ts";
import {
  type ListWatchOptions,
  newListWatchFromClient,
  newMetadataListWatchFromClient,
} from "../reflector/list-watch.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import type { InformerIdentity } from "../shared/informer-name.ts";
import { SharedIndexInformer } from "../shared/shared-index-informer.ts";
import { namespaceIndexers } from "../store/key-functions.ts";
import type { InformerFactoryOptions } from "./factory-options.ts";
import { ofKnownKind, resourceKeyOf } from "./resolve-resource.ts";
import { ResourceInformers } from "./resource-informers.ts";

/** Whether the caches of a factory hold whole objects or metadata. */
export type FactoryView = "full" | "metadata";

export function newResourceInformers(
  client: Client,
  options: InformerFactoryOptions,
  view: FactoryView,
): ResourceInformers {
  return new ResourceInformers({
    make: informerMaker(client, options, view),
    log: options.log ?? defaultLog,
    onEnd: () => options.informerName?.release(),
  });
}

function informerMaker(client: Client, options: InformerFactoryOptions, view: FactoryView) {
  const { informerName, freeze, transform, deliveryGate, clock, random, metrics, log } = options;
  requirePeriodMs("resyncMs", options.resyncMs);
  const resyncByPlace = new Map(
    [...(options.customResync ?? [])].map(([place, ms]) => [resourceKeyOf(place), requirePeriodMs("customResync", ms)]),
  );
  // One name and resource identify one informer in the metrics; a new informer replaces the one before it.
  const identities = new Map<string, InformerIdentity>();
  return (resource: Resource): SharedIndexInformer<KubernetesObject> => {
    const key = resourceKeyOf(resource);
    const identity = identities.get(key) ?? informerName?.withResource(resource);
    if (identity !== undefined) identities.set(key, identity);
    const { indexers, ...further } = options.informerOptions?.(resource) ?? {};
    return new SharedIndexInformer(sourceOf(client, resource, options, view), {
      resyncMs: resyncByPlace.get(key) ?? options.resyncMs ?? 0,
      indexers: { ...namespaceIndexers, ...indexers },
      ...(transform === undefined ? {} : { transform }),
      ...(identity === undefined ? {} : { identity }),
      ...(freeze === undefined ? {} : { freeze }),
      ...(deliveryGate === undefined ? {} : { deliveryGate }),
      ...(clock === undefined ? {} : { clock }),
      ...(random === undefined ? {} : { random }),
      ...(metrics === undefined ? {} : { metrics }),
      ...(log === undefined ? {} : { log }),
      ...further,
    });
  };
}

function sourceOf(
  client: Client,
  resource: Resource,
  options: InformerFactoryOptions,
  view: FactoryView,
): ListerWatcher<KubernetesObject> {
  const { namespace, tweak, canWatchList, clock } = options;
  const listing: ListWatchOptions = {
    ...(namespace === undefined || namespace === "" || !resource.namespaced ? {} : { namespace }),
    ...(tweak === undefined ? {} : { tweak: (scope) => tweak(scope, resource) }),
    ...(canWatchList === undefined ? {} : { canWatchList }),
    ...(clock === undefined ? {} : { clock }),
  };
  if (view === "metadata") return newMetadataListWatchFromClient(client, resource, listing);
  return ofKnownKind(newListWatchFromClient(client, resource, listing));
}
