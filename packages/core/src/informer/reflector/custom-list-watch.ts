// Makes a source for reflectors from anything that can list and watch: a database, another API, a test. It can be as
// simple as a promise of all objects and a stream of events. It may ignore the signal, because the signal is handled here.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import { untilAborted } from "../../base/index.ts";
import type { Batched, WatchEvent } from "../../client/index.ts";
import { readOnce } from "../../client/streams/batched.ts";
import type { ListAnswer, ListerWatcher, ListRequest, ObjectKind, WatchRequest } from "./lister-watcher.ts";

export interface ListedObjects<T> {
  readonly items: readonly T[];
  /** The version to watch from. */
  readonly resourceVersion: string;
  readonly isPaged?: boolean;
}

const pieceSize = 500;

type Awaitable<V> = V | PromiseLike<V>;

export interface CustomListWatch<T extends KubernetesObject> {
  /** Default: "a custom source". */
  readonly description?: string;
  readonly resource?: Resource;
  readonly objectKind?: ObjectKind | "unchecked";
  /** Whether its watches support initial events that end with a bookmark (WatchList). Default: false. */
  readonly canWatchList?: boolean;
  /** Returns all objects at once, or a stream. */
  list(request: ListRequest, signal: AbortSignal): PromiseLike<ListedObjects<T>> | ListedObjects<T> | ListAnswer<T>;
  watch(request: WatchRequest, signal: AbortSignal): Awaitable<AsyncIterable<WatchEvent<T>> | Batched<WatchEvent<T>>>;
}

export function customListWatch<T extends KubernetesObject>(custom: CustomListWatch<T>): ListerWatcher<T> {
  const { description = "a custom source", resource, objectKind, canWatchList = false } = custom;
  return {
    description,
    resource,
    objectKind,
    canWatchList,
    list(request, signal) {
      signal.throwIfAborted();
      const given = custom.list(request, signal);
      return "batches" in given ? given : toAnswer(given, signal);
    },
    watch: (request, signal) => readOnce(follow(() => custom.watch(request, signal), signal)),
  };
}

function toAnswer<T>(given: Awaitable<ListedObjects<T>>, signal: AbortSignal): ListAnswer<T> {
  let listed: ListedObjects<T> | undefined;
  async function* read(): AsyncGenerator<readonly T[], void, undefined> {
    listed = await untilAborted(Promise.resolve(given), signal);
    const { items } = listed;
    // In pieces, so that the consumer can yield to the event loop between them.
    for (let from = 0; from < items.length; from += pieceSize) yield items.slice(from, from + pieceSize);
  }
  return {
    ...readOnce(read()),
    get resourceVersion() {
      return listed?.resourceVersion ?? "";
    },
    get isPaged() {
      return listed?.isPaged ?? false;
    },
  };
}

async function* follow<T extends KubernetesObject>(
  open: () => Awaitable<AsyncIterable<WatchEvent<T>> | Batched<WatchEvent<T>>>,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  signal.throwIfAborted();
  const events = await untilAborted(Promise.resolve(open()), signal);
  const batches = "batches" in events ? events.batches() : singly(events);
  try {
    for (;;) {
      const next = await untilAborted(batches.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that is stuck would never return.
    void Promise.resolve(batches.return?.(undefined)).catch(() => {});
  }
}

async function* singly<V>(values: AsyncIterable<V>): AsyncGenerator<readonly V[], void, undefined> {
  for await (const value of values) yield [value];
}
