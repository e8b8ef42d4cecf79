// Lists a cache by label selector and by namespace. The "nothing" selector reads no objects, the "everything" selector no labels.
// The returned array may belong to the store: it is readonly.
import { isEverything, type Labels, matchesSelector, type Selector } from "../../api/index.ts";
import { defaultLog, type Log } from "../../base/index.ts";
import { namespaceIndex } from "./key-functions.ts";
import type { ReadonlyIndexer, ReadonlyStore } from "./store.ts";

interface Labelled {
  readonly metadata: { readonly namespace?: string; readonly labels?: Labels };
}

export function listAll<T extends Labelled>(store: ReadonlyStore<T>, selector: Selector): readonly T[] {
  return selector.selects === "nothing" ? [] : matchesOf(store.list(), selector);
}

export interface NamespaceListOptions {
  readonly selector: Selector;
  readonly log?: Log;
}

/** An empty namespace means all. Without the namespace index, it scans all objects and logs a warning. */
export function listAllByNamespace<T extends Labelled>(
  indexer: ReadonlyIndexer<T>,
  namespace: string,
  { selector, log = defaultLog }: NamespaceListOptions,
): readonly T[] {
  if (selector.selects === "nothing") return [];
  if (namespace === "") return matchesOf(indexer.list(), selector);
  if (namespaceIndex in indexer.getIndexers()) {
    return matchesOf(indexer.byIndex(namespaceIndex, namespace), selector);
  }
  log.warn("no namespace index: scanning all objects", { namespace, objects: indexer.size });
  const inNamespace = indexer.list().filter(({ metadata }) => metadata.namespace === namespace);
  return matchesOf(inNamespace, selector);
}

function matchesOf<T extends Labelled>(objects: readonly T[], selector: Selector): readonly T[] {
  if (isEverything(selector)) return objects;
  return objects.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
}
