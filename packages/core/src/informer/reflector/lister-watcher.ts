// The source of a reflector: anything that can list and watch one collection. Path and selectors belong to the source;
// the arguments here differ from call to call.
import type { KubernetesObject, Resource } from "../../api/index.ts";
import type { AnswerObserver, Batched, WatchEvent } from "../../client/index.ts";
import type { WatchListMemory } from "./watch-list-memory.ts";

export interface ListRequest {
  /** "0": any version that the server has cached. "": the newest. Any other: not older than that version. */
  readonly resourceVersion: string;
  /** `Exact` requests the list at exactly that version. Default: not older than it. */
  readonly resourceVersionMatch?: "Exact";
  /** Objects per page; 0 requests all at once. */
  readonly pageSize: number;
  /** Called when the list starts again, so the items read so far are void. */
  readonly onRestart: () => void;
  /** To be told in which encoding the list arrives, and of objects in it that turn out to be malformed, as far as the source knows. */
  readonly observer?: AnswerObserver;
}

export interface WatchRequest {
  readonly resourceVersion: string;
  /** Send the existing objects as initial events, and mark their end with a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number;
  /** As of a list. */
  readonly observer?: AnswerObserver;
}

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A list that is read as it arrives. */
export interface ListAnswer<T> extends Batched<T> {
  /** Known after everything was read. */
  readonly resourceVersion: string;
  /** Whether the server split the list into pages. Known after everything was read. */
  readonly isPaged: boolean;
}

export interface ListerWatcher<T extends KubernetesObject = KubernetesObject> {
  /** What is listed, for people: "pods in shop". */
  readonly description: string;
  /** For the objects' kind and the metrics' labels. Without it and `objectKind`, the kind is not checked. */
  readonly resource?: Resource | undefined;
  /** The kind of the objects, if it is not the resource's kind: metadata-only objects are not pods. */
  readonly objectKind?: ObjectKind | "unchecked" | undefined;
  /** Whether a watch supports initial events. Default: true. */
  readonly canWatchList?: boolean;
  /** Shared by all sources of one server: whether it supports streamed lists. Default: each reflector has its own. */
  readonly watchListMemory?: WatchListMemory | undefined;
  list(request: ListRequest, signal: AbortSignal): ListAnswer<T>;
  watch(request: WatchRequest, signal: AbortSignal): Batched<WatchEvent<T>>;
}
