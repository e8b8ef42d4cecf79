// Reading a cache by label selector and by namespace. A selector of nothing looks at nothing, one of everything at no labels.
// The arrays belong to the store where it has them ready: readonly.
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

/** The empty namespace means all of them. Without the index by namespace, looks at everything, and the log is told. */
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
  log.warn("no index by namespace: looking at every object", { namespace, objects: indexer.size });
  const inNamespace = indexer.list().filter(({ metadata }) => metadata.namespace === namespace);
  return matchesOf(inNamespace, selector);
}

function matchesOf<T extends Labelled>(objects: readonly T[], selector: Selector): readonly T[] {
  if (isEverything(selector)) return objects;
  return objects.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
}
