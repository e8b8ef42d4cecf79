// A source for tests that lists and watches as its script says, in virtual time, and remembers what it was asked and when.
// Where a script ends, lists repeat their last answer and watches stay open.
import type { corev1 } from "../../api/index.ts";
import { type Clock, untilAborted } from "../../base/index.ts";
import type { WatchEvent } from "../../client/index.ts";
import { readOnce } from "../../client/streams/batched.ts";
import type { ListAnswer, ListerWatcher, ListRequest, ObjectKind, WatchRequest } from "./lister-watcher.ts";
import type { WatchListMemory } from "./watch-list-memory.ts";

export type Pod = corev1.Pod;

export interface ListScript {
  readonly items?: readonly Pod[];
  readonly resourceVersion?: string;
  readonly isPaged?: boolean;
  readonly afterMs?: number;
  /** What was read before the list had to begin anew. */
  readonly voided?: readonly Pod[];
}

export interface WatchScript {
  /** Batches, and pauses between them. */
  readonly parts?: readonly (readonly WatchEvent<Pod>[] | { readonly afterMs: number })[];
  /** `open` lasts until the signal fires. */
  readonly ending?: "open" | "close" | Error;
}

export interface Script {
  readonly lists?: readonly (ListScript | Error)[];
  readonly watches?: readonly (WatchScript | Error)[];
  readonly canWatchList?: boolean;
  readonly watchListMemory?: WatchListMemory;
}

export class ScriptedSource implements ListerWatcher<Pod> {
  readonly description = "scripted pods";
  readonly objectKind: ObjectKind = { apiVersion: "v1", kind: "Pod" };
  readonly canWatchList: boolean;
  readonly watchListMemory: WatchListMemory | undefined;
  /** "list 0 by 500", "watch 10", "stream 10", in the order they came. */
  readonly asked: string[] = [];
  /** When, by the monotonic clock. */
  readonly askedMs: number[] = [];
  readonly timeouts: number[] = [];
  openWatches = 0;
  readonly #clock: Clock;
  readonly #script: Script;
  #lists = 0;
  #watches = 0;

  constructor(clock: Clock, script: Script) {
    this.#clock = clock;
    this.#script = script;
    this.canWatchList = script.canWatchList ?? false;
    this.watchListMemory = script.watchListMemory;
  }

  list(request: ListRequest, signal: AbortSignal): ListAnswer<Pod> {
    this.#note(`list ${request.resourceVersion || "newest"}${request.pageSize > 0 ? ` by ${request.pageSize}` : ""}`);
    const { lists = [{}] } = this.#script;
    const script = lists[Math.min(this.#lists++, lists.length - 1)] ?? {};
    if (script instanceof Error) throw script;
    const clock = this.#clock;
    async function* read(given: ListScript) {
      if (given.afterMs !== undefined) await clock.sleep(given.afterMs, signal);
      if (given.voided !== undefined) {
        yield given.voided;
        request.onRestart();
      }
      // Two batches where there is enough for two.
      const items = given.items ?? [];
      const middle = items.length >> 1;
      if (middle > 0) yield items.slice(0, middle);
      if (items.length > 0) yield items.slice(middle);
    }
    const { resourceVersion = "10", isPaged = false } = script;
    return { ...readOnce(read(script)), resourceVersion, isPaged };
  }

  watch(request: WatchRequest, signal: AbortSignal) {
    this.#note(`${request.sendInitialEvents ? "stream" : "watch"} ${request.resourceVersion || "newest"}`);
    this.timeouts.push(request.timeoutSeconds);
    const script = this.#script.watches?.[this.#watches++] ?? {};
    if (script instanceof Error) throw script;
    return readOnce(this.#read(script, signal));
  }

  async *#read({ parts = [], ending = "open" }: WatchScript, signal: AbortSignal) {
    this.openWatches++;
    try {
      for (const part of parts) {
        if ("afterMs" in part) await this.#clock.sleep(part.afterMs, signal);
        else yield part;
      }
      if (ending instanceof Error) throw ending;
      if (ending === "open") await untilAborted(new Promise<never>(() => {}), signal);
    } finally {
      this.openWatches--;
    }
  }

  #note(asked: string): void {
    this.asked.push(asked);
    this.askedMs.push(this.#clock.monotonic());
  }
}

export const pod = (name: string, resourceVersion: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", resourceVersion, uid: name },
  spec: { containers: [] },
});
export const added = (name: string, version: string): WatchEvent<Pod> => ({
  type: "ADDED",
  object: pod(name, version),
});
export const modified = (name: string, version: string): WatchEvent<Pod> => ({
  type: "MODIFIED",
  object: pod(name, version),
});
export const deleted = (name: string, version: string): WatchEvent<Pod> => ({
  type: "DELETED",
  object: pod(name, version),
});
export const bookmark = (resourceVersion: string, annotations?: Record<string, string>): WatchEvent<Pod> => ({
  type: "BOOKMARK",
  object: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { resourceVersion, ...(annotations === undefined ? {} : { annotations }) },
  },
});
export const initialEnd = (resourceVersion: string): WatchEvent<Pod> =>
  bookmark(resourceVersion, { "k8s.io/initial-events-end": "true" });
