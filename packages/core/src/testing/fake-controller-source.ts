// Something to list and watch that a test writes into, without a server: each change gets the next version, and watchers hear
// of it unless the change says otherwise. What a `…DropWatch` hides stays hidden from open watches, as an event that was lost;
// a list, or a watch that starts before it, shows it.
//
// `resetWatch` cuts all watches; what happened before is forgotten, so that a watch from an earlier version is told 410.
import { type KubernetesObject, keyOf, newExpired, type ObjectKey, type Resource } from "../api/index.ts";
import { Channel, deepFreeze, KubeloopError } from "../base/index.ts";
import type { WatchEvent } from "../client/index.ts";
import { type Batched, readOnce } from "../client/streams/batched.ts";
import type { ListAnswer, ListerWatcher, ListRequest, WatchRequest } from "../informer/reflector/lister-watcher.ts";

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

interface SourceChange<T extends KubernetesObject> {
  readonly version: number;
  readonly event: WatchEvent<T>;
}

export interface FakeControllerSourceOptions {
  readonly resource?: Resource;
}

export class FakeControllerSource<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly description = "a fake source";
  /** It has no bookmarks, so it cannot say where initial events end. */
  readonly canWatchList = false;
  readonly resource: Resource | undefined;
  /** Thrown by every list while set. */
  listError: Error | undefined;
  readonly #objects = new Map<ObjectKey, T>();
  readonly #watches = new Set<Channel<WatchEvent<T>>>();
  #changes: SourceChange<T>[] = [];
  #version = 0;
  /** What happened up to this version is forgotten. */
  #forgottenVersion = 0;
  #isShutDown = false;

  constructor({ resource }: FakeControllerSourceOptions = {}) {
    this.resource = resource;
  }

  /** Watches that are being read. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** All these return the object as it is listed and watched: frozen, with its version. */
  add(object: T): T {
    return this.#change("ADDED", object, "tell");
  }

  modify(object: T): T {
    return this.#change("MODIFIED", object, "tell");
  }

  delete(lastState: T): T {
    return this.#change("DELETED", lastState, "tell");
  }

  addDropWatch(object: T): T {
    return this.#change("ADDED", object, "drop");
  }

  modifyDropWatch(object: T): T {
    return this.#change("MODIFIED", object, "drop");
  }

  deleteDropWatch(lastState: T): T {
    return this.#change("DELETED", lastState, "drop");
  }

  /** Ends all watches and forgets what happened; with `keepHistory`, who comes back at an earlier version is told all. */
  resetWatch({ keepHistory = false }: { readonly keepHistory?: boolean } = {}): void {
    for (const watch of this.#watches) watch.close();
    if (keepHistory) return;
    this.#changes = [];
    this.#forgottenVersion = this.#version;
  }

  /** Ends all watches; nothing is answered any more. */
  shutdown(): void {
    this.resetWatch();
    this.#isShutDown = true;
  }

  list(_request: ListRequest, signal: AbortSignal): ListAnswer<T> {
    let version: string | undefined;
    const batches = this.#readAll((listed) => {
      version = listed;
    }, signal);
    return {
      ...readOnce(batches),
      isPaged: false,
      get resourceVersion() {
        if (version !== undefined) return version;
        throw new KubeloopError("a list's version is known once it has been read", {
          reason: "Invalid",
          retry: "never",
        });
      },
    };
  }

  watch({ resourceVersion }: WatchRequest, signal: AbortSignal): Batched<WatchEvent<T>> {
    return readOnce(this.#follow(Number(resourceVersion), signal));
  }

  async *#readAll(
    onVersion: (version: string) => void,
    signal: AbortSignal,
  ): AsyncGenerator<readonly T[], void, undefined> {
    signal.throwIfAborted();
    this.#throwIfShutDown();
    if (this.listError !== undefined) throw this.listError;
    onVersion(String(this.#version));
    const objects = [...this.#objects.values()];
    if (objects.length > 0) yield objects;
  }

  async *#follow(version: number, signal: AbortSignal): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    signal.throwIfAborted();
    this.#throwIfShutDown();
    if (version < this.#forgottenVersion) {
      throw newExpired(`too old resource version: ${version} (${this.#forgottenVersion})`);
    }
    const events = new Channel<WatchEvent<T>>(maxBacklog);
    this.#watches.add(events);
    try {
      const missed = this.#changes.filter((change) => change.version > version);
      if (missed.length > 0) yield missed.map(({ event }) => event);
      for (;;) {
        const next = await events.receive(signal);
        if (next === undefined) return;
        yield [next.value];
      }
    } finally {
      this.#watches.delete(events);
    }
  }

  #change(type: ChangeType, given: T, telling: "tell" | "drop"): T {
    this.#throwIfShutDown();
    const version = ++this.#version;
    const copy = structuredClone(given);
    const object = deepFreeze({ ...copy, metadata: { ...copy.metadata, resourceVersion: String(version) } });
    const event: WatchEvent<T> = Object.freeze({ type, object });
    this.#changes.push({ version, event });
    if (type === "DELETED") this.#objects.delete(keyOf(object));
    else this.#objects.set(keyOf(object), object);
    if (telling === "tell") for (const watch of this.#watches) watch.trySend(event);
    return object;
  }

  #throwIfShutDown(): void {
    if (this.#isShutDown) throw new KubeloopError("the fake source is shut down", { reason: "Closed", retry: "never" });
  }
}

const maxBacklog = 100_000;
