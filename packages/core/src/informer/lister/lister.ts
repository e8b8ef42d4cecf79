// Reads one resource's objects from a cache: by name, by namespace, by label selector, by index. It never sends a
// request; its results are as fresh as its informer's cache.
//
//   const pods = new Lister(informer.getIndexer(), podResource);
//   pods.namespace("shop").list("app=web");
//
// Promises: for an absent object `get` returns `undefined`, and `getOrThrow` throws the NotFound error that a server would send. Lists are
// new arrays of shared objects, in no particular order. Selecting allocates nothing per object.
import {
  everythingSelector,
  type KubernetesObject,
  newNotFound,
  objectKeyOf,
  parseSelector,
  type Resource,
  type Selector,
  type StatusError,
  splitKey,
} from "../../api/index.ts";
import { defaultLog, type Log } from "../../base/index.ts";
import { namespaceIndex } from "../store/key-functions.ts";
import type { ReadonlyIndexer } from "../store/store.ts";
import { select, selectInPlace } from "./select.ts";

/** A Resource, or the part of it that a NotFound error names. */
export type ListedResource = Pick<Resource, "group" | "plural">;

export interface ListerOptions {
  /** Receives one warning if reads are slow because an index is missing. */
  readonly log?: Log;
}

export class Lister<T extends KubernetesObject> {
  readonly #indexer: ReadonlyIndexer<T>;
  readonly #resource: ListedResource;
  readonly #log: Log;
  #hasWarned = false;

  constructor(indexer: ReadonlyIndexer<T>, resource: ListedResource, options: ListerOptions = {}) {
    this.#indexer = indexer;
    this.#resource = resource;
    this.#log = options.log ?? defaultLog;
  }

  /** Returns all objects, or those that match the selector. Throws a SelectorError if the text is not a selector. */
  list(selector?: string | Selector): T[] {
    const wanted = toSelector(selector);
    return wanted.selects === "nothing" ? [] : selectInPlace(this.#indexer.list(), wanted);
  }

  /** Gets by key: the name of a cluster-scoped object, `namespace/name` of a namespaced one. */
  get(key: string): T | undefined {
    return this.#indexer.getByKey(key);
  }

  /** Like `get`, but throws a NotFound error if the object is absent. */
  getOrThrow(key: string): T {
    const found = this.#indexer.getByKey(key);
    if (found === undefined) throw this.#notFound(splitKey(key).name);
    return found;
  }

  /** Returns a lister for one namespace. */
  namespace(namespace: string): NamespaceLister<T> {
    return {
      list: (selector) => this.#listNamespace(namespace, toSelector(selector)),
      get: (name) => this.#indexer.getByKey(objectKeyOf(namespace, name)),
      getOrThrow: (name) => {
        const found = this.#indexer.getByKey(objectKeyOf(namespace, name));
        if (found === undefined) throw this.#notFound(name);
        return found;
      },
    };
  }

  /** Returns the objects that an index has under a value. Throws if the index does not exist. */
  byIndex(name: string, value: string): readonly T[] {
    return this.#indexer.byIndex(name, value);
  }

  #listNamespace(namespace: string, selector: Selector): T[] {
    if (selector.selects === "nothing") return [];
    // As everywhere in the API, an empty namespace means all namespaces.
    if (namespace === "") return this.list(selector);
    if (Object.hasOwn(this.#indexer.getIndexers(), namespaceIndex)) {
      return select(this.#indexer.byIndex(namespaceIndex, namespace), selector);
    }
    this.#warn();
    return selectInPlace(this.#indexer.list(), selector, namespace);
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn("no namespace index: every list of one namespace scans all objects", {
      resource: this.#resource.plural,
    });
  }

  #notFound(name: string): StatusError {
    return newNotFound({ group: this.#resource.group, resource: this.#resource.plural }, name);
  }
}

export interface NamespaceLister<T extends KubernetesObject> {
  list(selector?: string | Selector): T[];
  get(name: string): T | undefined;
  /** Like `get`, but throws a NotFound error if the object is absent. */
  getOrThrow(name: string): T;
}

function toSelector(selector: string | Selector | undefined): Selector {
  if (selector === undefined) return everythingSelector;
  return typeof selector === "string" ? parseSelector(selector) : selector;
}
