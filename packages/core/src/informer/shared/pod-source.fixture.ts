// A collection of pods to list and watch that a test writes into. Each change gets the next version, and open watches hear of
// it unless the change is `unseen`. `cutWatches` ends them all and forgets what happened, so that coming back means a new
// list. Lists can be held up, or made to fail.
import { type KubernetesObject, keyOf, newExpired, type ObjectKey } from "../../api/index.ts";
import { Channel, type Deferred, deferred, untilAborted } from "../../base/index.ts";
import type { Batched, WatchEvent } from "../../client/index.ts";
import type { ListAnswer, ListerWatcher, WatchRequest } from "../reflector/lister-watcher.ts";

interface Change {
  readonly version: number;
  readonly event: WatchEvent;
}

export class PodSource implements ListerWatcher {
  readonly description = "pods";
  readonly canWatchList = false;
  /** Thrown by every list while set. */
  listError: Error | undefined;
  /** Thrown by every watch while set. */
  watchError: Error | undefined;
  lists = 0;
  watches = 0;
  readonly #pods = new Map<ObjectKey, KubernetesObject>();
  readonly #open = new Set<Channel<WatchEvent>>();
  #changes: Change[] = [];
  #version = 0;
  #oldest = 0;
  #held: Deferred<void> | undefined;

  get openWatches(): number {
    return this.#open.size;
  }

  /** Lists wait until the result is called. */
  holdLists(): () => void {
    this.#held = deferred();
    return this.#held.resolve;
  }

  /** Adds it, or takes its place. */
  put(name: string, labels: Readonly<Record<string, string>> = {}, seen: "seen" | "unseen" = "seen"): KubernetesObject {
    const metadata = { name, namespace: "shop", labels, resourceVersion: `${this.#version + 1}` };
    const object = { apiVersion: "v1", kind: "Pod", metadata };
    const type = this.#pods.has(keyOf(object)) ? "MODIFIED" : "ADDED";
    this.#pods.set(keyOf(object), object);
    this.#tell({ type, object }, seen);
    return object;
  }

  delete(name: string, seen: "seen" | "unseen" = "seen"): void {
    const object = this.#pods.get(`shop/${name}` as ObjectKey);
    if (object === undefined) return;
    this.#pods.delete(keyOf(object));
    const metadata = { ...object.metadata, resourceVersion: `${this.#version + 1}` };
    this.#tell({ type: "DELETED", object: { ...object, metadata } }, seen);
  }

  cutWatches(): void {
    for (const watch of this.#open) watch.close();
    this.#changes = [];
    this.#oldest = this.#version;
  }

  list(_request: unknown, signal: AbortSignal): ListAnswer<KubernetesObject> {
    let resourceVersion = "";
    const batches = this.#readAll(signal, (version) => {
      resourceVersion = version;
    });
    return {
      ...toBatched(batches),
      isPaged: false,
      get resourceVersion() {
        return resourceVersion;
      },
    };
  }

  watch({ resourceVersion }: WatchRequest, signal: AbortSignal): Batched<WatchEvent> {
    return toBatched(this.#follow(Number(resourceVersion), signal));
  }

  async *#readAll(signal: AbortSignal, onVersion: (version: string) => void) {
    this.lists++;
    if (this.#held !== undefined) await untilAborted(this.#held.promise, signal);
    if (this.listError !== undefined) throw this.listError;
    onVersion(`${this.#version}`);
    if (this.#pods.size > 0) yield [...this.#pods.values()];
  }

  async *#follow(version: number, signal: AbortSignal): AsyncGenerator<readonly WatchEvent[], void, undefined> {
    this.watches++;
    if (this.watchError !== undefined) throw this.watchError;
    if (version < this.#oldest) throw newExpired("too old resource version");
    const events = new Channel<WatchEvent>(100_000);
    this.#open.add(events);
    try {
      const missed = this.#changes.filter((change) => change.version > version);
      if (missed.length > 0) yield missed.map(({ event }) => event);
      for (let next = await events.receive(signal); next !== undefined; next = await events.receive(signal)) {
        yield [next.value];
      }
    } finally {
      this.#open.delete(events);
    }
  }

  #tell(event: WatchEvent, seen: "seen" | "unseen"): void {
    const version = ++this.#version;
    if (seen === "unseen") return;
    this.#changes.push({ version, event });
    for (const watch of this.#open) watch.trySend(event);
  }
}

function toBatched<E>(batches: AsyncGenerator<readonly E[], void, undefined>): Batched<E> {
  return {
    batches: () => batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches) yield* batch;
    },
  };
}
