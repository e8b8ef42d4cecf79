// The changes of an informer as a stream of watch events that never breaks: after a relist it continues with the differences. An
// object whose delete event was missed is reported with its last known state. Events are buffered, in order, until they are read.
import type { KubernetesObject } from "../../api/index.ts";
import { type Deferred, deferred, RingBuffer, TaskScope, untilAborted } from "../../base/index.ts";
import type { ObjectEvent } from "../../client/index.ts";
import { type NewIndexerInformerOptions, newIndexerInformer } from "../controller/new-informer.ts";
import type { ListerWatcher } from "../reflector/lister-watcher.ts";
import type { ReadonlyIndexer } from "../store/store.ts";
import { lastStateOf } from "../tombstone.ts";

export type InformerWatcherOptions<T extends KubernetesObject> = Partial<
  Omit<NewIndexerInformerOptions<T>, "resyncMs">
>;

/** Owns the informer: disposing of it stops the informer and waits for its end. */
export interface InformerWatcher<T extends KubernetesObject> extends AsyncIterable<ObjectEvent<T>>, AsyncDisposable {
  readonly indexer: ReadonlyIndexer<T>;
  hasSynced(): boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
}

export function openInformerWatcher<T extends KubernetesObject>(
  source: ListerWatcher<T>,
  options: InformerWatcherOptions<T>,
  signal: AbortSignal,
): InformerWatcher<T> {
  const events = new EventBuffer<ObjectEvent<T>>();
  const handler = {
    onAdd: (object: T) => events.push({ type: "ADDED", object }),
    onUpdate: (_: T, object: T) => events.push({ type: "MODIFIED", object }),
    onDelete: (gone: Parameters<typeof lastStateOf<T>>[0]) => {
      const object = lastStateOf(gone);
      // A watch event needs an object, so a tombstone without one is skipped.
      if (object !== undefined) events.push({ type: "DELETED", object });
    },
  };
  const { indexer, controller } = newIndexerInformer(source, handler, { indexers: {}, ...options });
  const scope = new TaskScope(signal);
  const running = scope.spawn((own) => controller.run(own));
  void running.then(
    () => events.close(),
    () => events.close(),
  );
  return {
    indexer,
    hasSynced: () => controller.hasSynced(),
    whenSynced: (waiting) => controller.whenSynced(waiting),
    [Symbol.asyncIterator]: () => events.read(signal),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** Buffers events in order until they are read. */
class EventBuffer<E> {
  readonly #events = new RingBuffer<E>();
  #more: Deferred<void> | undefined;
  #isClosed = false;

  push(event: E): void {
    this.#events.push(event);
    this.#more?.resolve();
  }

  close(): void {
    this.#isClosed = true;
    this.#more?.resolve();
  }

  /** Ends when the buffer is closed, even if events are left in it. */
  async *read(signal: AbortSignal): AsyncGenerator<E, void, undefined> {
    while (!this.#isClosed) {
      signal.throwIfAborted();
      if (this.#events.size > 0) {
        yield this.#events.shift() as E;
        continue;
      }
      this.#more = deferred();
      await untilAborted(this.#more.promise, signal);
    }
  }
}
