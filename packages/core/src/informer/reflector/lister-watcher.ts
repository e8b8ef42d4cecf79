// What a reflector reads from: anything that can list and watch one collection. Path and selectors are the source's own and
// given once; what is asked for here differs from call to call.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { Batched, WatchEvent } from "../../client/index.ts";
import type { WatchListMemory } from "./watch-list-memory.ts";

export interface ListRequest {
  /** "0" takes what the server has at hand, "" the newest, any other one not older than it. */
  readonly resourceVersion: string;
  /** `Exact` asks for the list as it was at that version. Not older than it, unless given. */
  readonly resourceVersionMatch?: "Exact";
  /** How many objects a page; 0 asks for all at once. */
  readonly pageSize: number;
  /** What was read so far is void: the list begins anew. */
  readonly onRestart: () => void;
}

export interface WatchRequest {
  readonly resourceVersion: string;
  /** Begin with everything there is, and say where that ends by a bookmark with `k8s.io/initial-events-end`. */
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number;
}

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A list that is read as it arrives. */
export interface ListAnswer<T> extends Batched<T> {
  /** Known once all has been read. */
  readonly resourceVersion: string;
  /** Whether the server cut it into pages. Known once all has been read. */
  readonly isPaged: boolean;
}

export interface ListerWatcher<T extends KubernetesObject = KubernetesObject> {
  /** What is listed, in words: "pods in shop". */
  readonly description: string;
  /** Names the objects' kind and the metrics' labels. Whatever it does not name is not checked. */
  readonly resource?: Resource | undefined;
  /** What the objects say they are, where that is not the resource's own kind: metadata-only ones are no pods. */
  readonly objectKind?: ObjectKind | "unchecked" | undefined;
  /** Whether a watch may be asked for initial events. True unless it says otherwise. */
  readonly canWatchList?: boolean;
  /** Shared by all sources of one server: whether it answers streamed lists. Each reflector has its own unless given. */
  readonly watchListMemory?: WatchListMemory | undefined;
  list(request: ListRequest, signal: AbortSignal): ListAnswer<T>;
  watch(request: WatchRequest, signal: AbortSignal): Batched<WatchEvent<T>>;
}
