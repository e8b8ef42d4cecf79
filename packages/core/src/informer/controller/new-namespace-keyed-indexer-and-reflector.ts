// An indexer keyed by namespace and name, indexed by namespace, and the reflector that fills it: client-go's shortcut for
// readers that need no queue and no handlers.
import type { KubernetesObject } from "../../api/index.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import { Reflector } from "../reflector/reflector.ts";
import type { ReflectorOptions } from "../reflector/reflector-options.ts";
import { newIndexer } from "../store/indexed-store.ts";
import { metaNamespaceKeyFunc, namespaceIndexers } from "../store/key-functions.ts";
import type { Indexer } from "../store/store.ts";

/** The indexer is filled while the reflector runs. */
export function newNamespaceKeyedIndexerAndReflector<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  options: ReflectorOptions = {},
): { readonly indexer: Indexer<T>; readonly reflector: Reflector<T> } {
  const indexer = newIndexer<T>(metaNamespaceKeyFunc, namespaceIndexers);
  return { indexer, reflector: new Reflector(source, indexer, options) };
}
