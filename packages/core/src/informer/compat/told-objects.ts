// What callbacks have been told, and so what is news to them: an informer that was stopped and is started again hears of
// everything anew, its users only of what is different. Kept by what was told, not by what was cached: what had not been
// told before a stop is told after the next start.
import { type KubernetesObject, keyOf } from "../../api/index.ts";

export class ToldObjects<T extends KubernetesObject> {
  readonly #byKey = new Map<string, T>();

  /** What the coming of this state is to them; from now on they know it. */
  take(object: T): "add" | "update" | "nothing" {
    const key = keyOf(object);
    const before = this.#byKey.get(key);
    this.#byKey.set(key, object);
    if (before === undefined) return "add";
    const { resourceVersion } = object.metadata;
    return resourceVersion !== undefined && before.metadata.resourceVersion === resourceVersion ? "nothing" : "update";
  }

  /** Whether its going is news; from now on it is not. */
  drop(key: string): boolean {
    return this.#byKey.delete(key);
  }

  /** What they believe to be there and is not. */
  missingFrom(cache: { getByKey(key: string): T | undefined }): readonly T[] {
    return [...this.#byKey].filter(([key]) => cache.getByKey(key) === undefined).map(([, object]) => object);
  }
}
