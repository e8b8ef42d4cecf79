// Lists and watches one resource through a client. Path and selectors are given once and used for both; the reflector passes what differs
// between calls. Bookmarks are always requested.
//
//   const source = newListWatchFromClient(client, pods, { namespace: "shop", fieldSelector: "spec.nodeName=n1" });
import type {
  FieldSelector,
  KubernetesObject,
  PartialObjectMetadata,
  Resource,
  Selector,
  Transport,
} from "../../api/index.ts";
import { type Clock, noLog, systemClock } from "../../base/index.ts";
import { type AnswerObserver, type Batched, type Client, ResourceClient, type WatchEvent } from "../../client/index.ts";
import type { ListAnswer, ListerWatcher, ListRequest, ObjectKind, WatchRequest } from "./lister-watcher.ts";
import { type WatchListMemory, watchListMemoryOf } from "./watch-list-memory.ts";

/** Options of both lists and watches. */
export interface ListWatchScope {
  readonly labelSelector?: string | Selector;
  readonly fieldSelector?: string | FieldSelector;
  /** Objects per page, whatever the reflector requests; 0 never requests pages. */
  readonly pageSize?: number;
}

export interface ListWatchOptions extends ListWatchScope {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** Changes selectors and page size, for lists and watches alike; called once. */
  readonly tweak?: (scope: ListWatchScope) => ListWatchScope;
  /** False if the server behind the client does not support WatchList (a watch that begins with initial events). */
  readonly canWatchList?: boolean;
  /** The clock that the client uses. Default: the system clock. */
  readonly clock?: Clock;
}

/** Any resource, with a field selector. */
export function newListWatchFromClient<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  options: ListWatchOptions = {},
): ListWatch<T> {
  return new ListWatch<T>(client, resource, { ...options, view: "full" });
}

/** Any resource, with options set by `tweak`. */
export function newFilteredListWatchFromClient<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  options: ListWatchOptions & Required<Pick<ListWatchOptions, "tweak">>,
): ListWatch<T> {
  return newListWatchFromClient(client, resource, options);
}

/** Only metadata: for caches that read nothing else. */
export function newMetadataListWatchFromClient(
  client: Client,
  resource: Resource,
  options: ListWatchOptions = {},
): ListWatch<PartialObjectMetadata> {
  return new ListWatch<PartialObjectMetadata>(client, resource, { ...options, view: "metadata" });
}

export class ListWatch<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly description: string;
  readonly resource: Resource;
  readonly objectKind: ObjectKind | "unchecked";
  readonly canWatchList: boolean;
  readonly watchListMemory: WatchListMemory;
  readonly #client: Client;
  readonly #options: ListWatchOptions & { readonly view: "full" | "metadata" };
  readonly #scope: ListWatchScope;
  readonly #watcher: ResourceClient<T>;

  constructor(client: Client, resource: Resource, options: ListWatchOptions & { readonly view: "full" | "metadata" }) {
    const { namespace, labelSelector, fieldSelector, pageSize, tweak, canWatchList = true, view } = options;
    this.#client = client;
    this.#options = options;
    const scope = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(pageSize === undefined ? {} : { pageSize }),
    };
    this.#scope = tweak === undefined ? scope : tweak(scope);
    this.resource = resource;
    // A server that does not support metadata-only responses sends whole objects.
    this.objectKind = view === "full" ? resource : "unchecked";
    this.canWatchList = canWatchList;
    this.watchListMemory = watchListMemoryOf(client);
    this.#watcher = this.#watcherOf(client);
    const what = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
    this.description = namespace === undefined ? what : `${what} in ${namespace}`;
  }

  list(request: ListRequest, signal: AbortSignal): ListAnswer<T> {
    const { pageSize = request.pageSize, ...selectors } = this.#scope;
    const { resourceVersion, onRestart, observer } = request;
    // For a paged list at a version without a match, the server returns exactly that version, which its watch cache may
    // no longer have: the watch would get a 410 again and again.
    const isPagedAtVersion = pageSize > 0 && resourceVersion !== "" && resourceVersion !== "0";
    const resourceVersionMatch = request.resourceVersionMatch ?? (isPagedAtVersion ? "NotOlderThan" : undefined);
    // Each page is one request: if there was more than one, the server split the list.
    let requests = 0;
    const transport: Transport = (page, pageSignal) => {
      requests++;
      return this.#client.transport(page, pageSignal);
    };
    const list = this.#resourceClient(transport, observer).list(
      {
        ...selectors,
        resourceVersion,
        ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
        pageSize,
        onRestart,
      },
      signal,
    );
    return {
      batches: () => list.batches(),
      [Symbol.asyncIterator]: () => list[Symbol.asyncIterator](),
      get resourceVersion() {
        return list.metadata.resourceVersion ?? "";
      },
      get isPaged() {
        return requests > 1;
      },
    };
  }

  watch(request: WatchRequest, signal: AbortSignal): Batched<WatchEvent<T>> {
    const { labelSelector, fieldSelector } = this.#scope;
    const { resourceVersion, sendInitialEvents, timeoutSeconds, observer } = request;
    const watcher = observer === undefined ? this.#watcher : this.#watcher.observed(observer);
    return watcher.watch(
      {
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
        resourceVersion,
        timeoutSeconds,
        ...(sendInitialEvents ? { sendInitialEvents } : {}),
      },
      signal,
    );
  }

  #watcherOf(client: Client): ResourceClient<T> {
    const { namespace, view } = this.#options;
    const all = view === "full" ? client.resource(this.resource) : client.metadata(this.resource);
    const some = namespace === undefined ? all : all.in(namespace);
    return some as unknown as ResourceClient<T>;
  }

  #resourceClient(transport: Transport, observer: AnswerObserver | undefined): ResourceClient<T> {
    const { namespace, view, clock = systemClock } = this.#options;
    const { encoding, encodings } = this.#client;
    return new ResourceClient<T>(
      this.resource,
      { transport, clock, log: noLog, fieldManager: undefined, view, encoding, encodings, observer },
      namespace,
    );
  }
}
