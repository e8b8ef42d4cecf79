// A ListerWatcher without a server, for informer tests. A test adds, modifies and deletes objects. Each change gets the next resourceVersion
// and is sent to all open watches. A change by `…DropWatch` is not sent to open watches, like a lost event. A list returns it, and so does a
// watch that is opened later at an earlier version.
//
// `resetWatch` ends all watches and deletes the history, so that a new watch from an earlier version fails with 410.
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
  /** This source sends no bookmarks, so a client could not see the end of the initial events. */
  readonly canWatchList = false;
  readonly resource: Resource | undefined;
  /** Thrown by every list while set. */
  listError: Error | undefined;
  readonly #objects = new Map<ObjectKey, T>();
  readonly #watches = new Set<Channel<WatchEvent<T>>>();
  #changes: SourceChange<T>[] = [];
  #version = 0;
  /** The history up to this version is deleted. */
  #forgottenVersion = 0;
  #isShutDown = false;

  constructor({ resource }: FakeControllerSourceOptions = {}) {
    this.resource = resource;
  }

  /** The number of watches that are being read. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** This method and the five below return the object as lists and watches return it: frozen, with its resourceVersion. */
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

  /** Ends all watches and deletes the history. With `keepHistory`, a new watch from an earlier version receives all later changes. */
  resetWatch({ keepHistory = false }: { readonly keepHistory?: boolean } = {}): void {
    for (const watch of this.#watches) watch.close();
    if (keepHistory) return;
    this.#changes = [];
    this.#forgottenVersion = this.#version;
  }

  /** Ends all watches. Every later list, watch and change throws. */
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
