// The objects that callbacks have received, to decide what is new to them. After a stop and a start, the informer lists everything again, but
// the callbacks receive only the differences. It tracks what was reported, not what was cached: a change that was not reported before
// a stop is reported after the next start.
import { type KubernetesObject, keyOf } from "../../api/index.ts";

export class ReportedObjects<T extends KubernetesObject> {
  readonly #byKey = new Map<string, T>();

  /** Returns what this state is for the callbacks (an add, an update or nothing new), and records it as reported. */
  take(object: T): "add" | "update" | "nothing" {
    const key = keyOf(object);
    const before = this.#byKey.get(key);
    this.#byKey.set(key, object);
    if (before === undefined) return "add";
    const { resourceVersion } = object.metadata;
    return resourceVersion !== undefined && before.metadata.resourceVersion === resourceVersion ? "nothing" : "update";
  }

  /** Whether the callbacks know the object, so its delete has to be reported; records it as gone. */
  drop(key: string): boolean {
    return this.#byKey.delete(key);
  }

  /** Returns the objects that were reported and no longer exist. */
  missingFrom(cache: { getByKey(key: string): T | undefined }): readonly T[] {
    return [...this.#byKey].filter(([key]) => cache.getByKey(key) === undefined).map(([, object]) => object);
  }
}
