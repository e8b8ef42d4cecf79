// Waits for an object in a cache, without looking again and again.
import { deferred, untilAborted } from "@kubeloop/core/base";
import type { ResourceEventHandlerRegistration } from "@kubeloop/core/informer";

/** What is needed of an informer. */
interface Followed<T> {
  addEventHandler(handler: {
    onAdd(object: T): void;
    onUpdate(before: T, after: T): void;
  }): ResourceEventHandlerRegistration;
}

/** Shows `isLast` every object that is cached, as it is and as it becomes, until it returns true. */
export async function whenCached<T>(
  informer: Followed<T>,
  isLast: (object: T) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const found = deferred();
  const look = (object: T) => {
    if (isLast(object)) found.resolve();
  };
  using _registration = informer.addEventHandler({ onAdd: look, onUpdate: (_before, after) => look(after) });
  await untilAborted(found.promise, signal);
}
