// Collects a list that arrives as watch events: later events change and delete its objects. Objects come out in
// the order of their first event, each transformed once.
import { type KubernetesObject, keyOf, type ObjectKey } from "../../api/index.ts";
import type { Transform } from "../store/store.ts";
import { StoreFailure } from "./failure-class.ts";
import type { EventSink, WatchEventReceiver } from "./handle-watch-events.ts";

export class StreamedList<T extends KubernetesObject> implements EventSink<T> {
  readonly #transform: Transform<T> | undefined;
  readonly #objects = new Map<ObjectKey, T>();

  constructor(transform: Transform<T> | undefined) {
    this.#transform = transform;
  }

  add(object: T): void {
    // By the key before the transform, which may remove anything.
    this.#objects.set(keyOf(object), this.#transform === undefined ? object : this.#transform(object));
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    this.#objects.delete(keyOf(object));
  }

  /** Returns a receiver that collects the events here. An object that cannot be kept fails the list, because it would be incomplete. */
  receiverLike(receiver: WatchEventReceiver<T>): WatchEventReceiver<T> {
    const onRefused = (error: unknown) => {
      throw error;
    };
    return { ...receiver, sink: this, stopsAtInitialEnd: true, onRefused };
  }

  toArray(): T[] {
    return [...this.#objects.values()];
  }
}

/** The transform, with its errors marked as the store's, not the server's. */
export function strictly<T>(transform: Transform<T> | undefined): Transform<T> | undefined {
  if (transform === undefined) return undefined;
  return (object) => {
    try {
      return transform(object);
    } catch (cause) {
      throw new StoreFailure("transform failed", cause);
    }
  };
}
