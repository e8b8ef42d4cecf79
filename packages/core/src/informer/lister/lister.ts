// Reads one resource's objects out of a cache: by name, by namespace, by label selector, by index. It goes nowhere near a
// server; what it answers is as fresh as its informer.
//
//   const pods = new Lister(informer.getIndexer(), podResource);
//   pods.namespace("shop").list("app=web");
//
// Promises: absent is `undefined` (or, with `getOrThrow`, the NotFound a server would answer); lists are the caller's own
// arrays of shared objects, in no order that means anything; selecting allocates nothing for each object.
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

/** Names the objects in a NotFound: a Resource, or as much of one. */
export type ListedResource = Pick<Resource, "group" | "plural">;

export interface ListerOptions {
  /** Is told, once, of reads that are slow for want of an index. */
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

  /** All objects, or those a selector selects. Throws a SelectorError for text that is none. */
  list(selector?: string | Selector): T[] {
    const wanted = toSelector(selector);
    return wanted.selects === "nothing" ? [] : selectInPlace(this.#indexer.list(), wanted);
  }

  /** By key: the name of what lives in no namespace, `namespace/name` of what does. */
  get(key: string): T | undefined {
    return this.#indexer.getByKey(key);
  }

  /** As `get`; throws the server's NotFound for what is not there. */
  getOrThrow(key: string): T {
    const found = this.#indexer.getByKey(key);
    if (found === undefined) throw this.#notFound(splitKey(key).name);
    return found;
  }

  /** The objects of one namespace. */
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

  /** The objects an index has under a value. Throws for an index nobody added. */
  byIndex(name: string, value: string): readonly T[] {
    return this.#indexer.byIndex(name, value);
  }

  #listNamespace(namespace: string, selector: Selector): T[] {
    if (selector.selects === "nothing") return [];
    // As everywhere in the API, no namespace means all of them.
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
    this.#log.warn("no index by namespace: every read of one namespace looks at all objects", {
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
  /** As `get`; throws the server's NotFound for what is not there. */
  getOrThrow(name: string): T;
}

function toSelector(selector: string | Selector | undefined): Selector {
  if (selector === undefined) return everythingSelector;
  return typeof selector === "string" ? parseSelector(selector) : selector;
}
