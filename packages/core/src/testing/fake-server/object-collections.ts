// The objects of several collections, listed in the order of their keys. The storage has one instance. The watch cache has another, which may
// be older. Objects are frozen and shared.
import type { KubernetesObject, ObjectKey } from "../../api/index.ts";

/** One write. Each revision has exactly one. */
export interface Change {
  readonly revision: number;
  /** "pods", "apps/deployments". */
  readonly collection: string;
  readonly key: ObjectKey;
  readonly before: KubernetesObject | undefined;
  /** Undefined for a deletion. */
  readonly after: KubernetesObject | undefined;
}

export class ObjectCollections {
  readonly #collections = new Map<string, Map<ObjectKey, KubernetesObject>>();

  get(collection: string, key: ObjectKey): KubernetesObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  list(collection: string): readonly KubernetesObject[] {
    const entries = [...(this.#collections.get(collection) ?? [])];
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  apply({ collection, key, after }: Change): void {
    this.#set(collection, key, after);
  }

  /** Undoes a change. To undo several, start with the newest. */
  revert({ collection, key, before }: Change): void {
    this.#set(collection, key, before);
  }

  copy(): ObjectCollections {
    const copy = new ObjectCollections();
    for (const [collection, objects] of this.#collections) copy.#collections.set(collection, new Map(objects));
    return copy;
  }

  #set(collection: string, key: ObjectKey, object: KubernetesObject | undefined): void {
    const objects = this.#collections.get(collection) ?? new Map<ObjectKey, KubernetesObject>();
    this.#collections.set(collection, objects);
    if (object === undefined) objects.delete(key);
    else objects.set(key, object);
  }
}
