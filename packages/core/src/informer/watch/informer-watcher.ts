// What an informer hears, as a stream of events: as a watch would tell it, but one that never breaks off and misses nothing. What
// was deleted unseen is told with its last known state. Events wait, in order, for as long as nobody reads them.
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

/** Owns the informer: disposing of it stops that and waits for its end. */
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
      // A watch cannot tell of an object that nobody knows.
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

/** Holds what one side has and the other does not want yet, in order. */
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

  /** Ends when it is closed, whatever is still in it. */
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
