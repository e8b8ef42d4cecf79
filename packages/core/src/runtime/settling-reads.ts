// Makes the live reads that settle writes, with as few requests as possible.
//
// Promises
// - All open writes in one namespace of a resource are read together, for all keys: one list for all generated names, one list for many
//   named objects, or a get for each of a few. Keys that need a read meanwhile share the answer.
// - A read settles only writes that were open before it began. A list that was already in flight when a write was given up proves nothing
//   about that write, so another list follows.
// - At most four reads of a gate are in flight at the same time. After a failure, reads in the namespace wait with exponential backoff.
// - The reader may have another identity than the controller, because these reads belong to the caches, not to the controller's rules.
import { type KubernetesObject, keyOf, type Resource, splitKey } from "../api/index.ts";
import { backoffDelayMs, type Clock, SharedWork, timeoutSignal } from "../base/index.ts";
import type { AwaitedWrite } from "./awaited-writes.ts";
import { coversNamespace } from "./cache-scope.ts";
import type { LiveListQuery, LiveReader } from "./live-reader.ts";
import { ReadSlots } from "./read-slots.ts";
import {
  commonLabels,
  ListedChildren,
  listQuery,
  objectQuery,
  originOf,
  type ScopedCache,
  settledBy,
} from "./settle-writes.ts";
import { type Expected, isGenerated } from "./sightings.ts";

export interface SettlingReadsOptions {
  readonly reader: Pick<LiveReader, "get" | "list">;
  readonly clock: Clock;
  /** Called before each read. */
  readonly onRead: () => void;
  /** Called with what the cache must show from now on instead of the write; it is the same expectation if the read found nothing new. */
  readonly onSettled: (write: AwaitedWrite, expected: readonly Expected[]) => void;
}

/** A namespace of one cache, so of one resource. */
interface Namespace {
  readonly name: string;
  readonly cache: ScopedCache;
  readonly open: Set<AwaitedWrite>;
  readonly reading: SharedWork<void>;
  failures: number;
  notBeforeMs: number;
}

const readsAtOnce = 4;
const readTimeoutMs = 30_000;
/** For more named objects than this, one list is cheaper than the gets. */
const mostGets = 8;
const backoff = { initialMs: 200, factor: 2, maxMs: 60_000, jitter: 0 };

export class SettlingReads {
  readonly #options: SettlingReadsOptions;
  readonly #slots = new ReadSlots(readsAtOnce);
  readonly #namespaces = new Map<ScopedCache, Map<string, Namespace>>();

  constructor(options: SettlingReadsOptions) {
    this.#options = options;
  }

  /** Adds an open write. The next read in its namespace settles it, whichever key causes that read. */
  add(write: AwaitedWrite): void {
    this.#namespaceOf(write).open.add(write);
  }

  remove(write: AwaitedWrite): void {
    const its = this.#namespaces.get(write.cache);
    const namespace = its?.get(nameOf(write));
    namespace?.open.delete(write);
    if (namespace?.open.size !== 0) return;
    its?.delete(namespace.name);
    if (its?.size === 0) this.#namespaces.delete(write.cache);
  }

  /** Waits until these writes are settled and returns 0. If a namespace is in backoff after failed reads, returns how long to wait. */
  async settle(writes: readonly AwaitedWrite[], signal: AbortSignal): Promise<number> {
    for (const write of writes) this.add(write);
    const namespaces = new Set(writes.map((write) => this.#namespaceOf(write)));
    const waits = await allOf([...namespaces].map((namespace) => this.#settleIn(namespace, writes, signal)));
    return Math.max(0, ...waits);
  }

  async #settleIn(namespace: Namespace, writes: readonly AwaitedWrite[], signal: AbortSignal): Promise<number> {
    // The read in progress may have begun before one of the writes was added: then another read follows.
    const isOpen = () => writes.some((write) => namespace.open.has(write));
    while (isOpen()) {
      const waitMs = namespace.notBeforeMs - this.#options.clock.monotonic();
      if (waitMs > 0) return waitMs;
      try {
        await namespace.reading.join(signal);
      } catch (error) {
        // The failure may concern only the writes of other keys.
        if (isOpen()) throw error;
      }
    }
    return 0;
  }

  #namespaceOf(write: AwaitedWrite): Namespace {
    const { cache } = write;
    const name = nameOf(write);
    const its = this.#namespaces.get(cache) ?? new Map<string, Namespace>();
    this.#namespaces.set(cache, its);
    const known = its.get(name);
    if (known !== undefined) return known;
    const reading = new SharedWork<void>(async (signal) => await this.#read(namespace, signal));
    const namespace: Namespace = { name, cache, open: new Set(), reading, failures: 0, notBeforeMs: 0 };
    its.set(name, namespace);
    return namespace;
  }

  async #read(namespace: Namespace, signal: AbortSignal): Promise<void> {
    try {
      await this.#readAll(namespace, signal);
      namespace.failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      namespace.failures++;
      namespace.notBeforeMs = this.#options.clock.monotonic() + backoffDelayMs(backoff, namespace.failures);
      throw error;
    }
  }

  /** Settles all writes that are open now. Writes that are added later are settled by the next read. */
  async #readAll({ cache, name, open }: Namespace, signal: AbortSignal): Promise<void> {
    const generated: AwaitedWrite[] = [];
    const byKey = new Map<string, AwaitedWrite[]>();
    for (const write of open) {
      const { key } = write.expected;
      const others = key === undefined ? generated : byKey.get(key);
      if (others !== undefined) others.push(write);
      else if (key !== undefined) byKey.set(key, [write]);
    }
    const reads = generated.length === 0 ? [] : [this.#listChildren(cache, name, generated, signal)];
    if (byKey.size > mostGets) reads.push(this.#listNamed(cache, name, byKey, signal));
    else for (const [key, writes] of byKey) reads.push(this.#readNamed(cache, key, writes, signal));
    await allOf(reads);
  }

  async #listChildren(
    cache: ScopedCache,
    namespace: string,
    writes: readonly AwaitedWrite[],
    signal: AbortSignal,
  ): Promise<void> {
    const lost = writes.map(({ expected }) => expected).filter(isGenerated);
    const query = listQuery(cache.scope, namespace, commonLabels(lost));
    const children = new ListedChildren(await this.#list(resourceOf(writes), query, signal));
    const settled = new Set<string>();
    for (const write of writes) {
      if (!isGenerated(write.expected)) continue;
      // Once for each key and owner: the key's other creates for the same owner wait for the same children.
      const id = `${write.key}\n${originOf(write.expected)}`;
      this.#settled(write, settled.has(id) ? [] : children.of(write.expected, cache));
      settled.add(id);
    }
  }

  async #listNamed(
    cache: ScopedCache,
    namespace: string,
    byKey: ReadonlyMap<string, readonly AwaitedWrite[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const writes = [...byKey.values()].flat();
    const isCovered = coversNamespace(cache.scope, namespace);
    const query = listQuery(cache.scope, namespace);
    const listed = isCovered ? await this.#list(resourceOf(writes), query, signal) : [];
    const liveByKey = new Map<string, KubernetesObject>(listed.map((object) => [keyOf(object), object]));
    for (const [key, its] of byKey) for (const write of its) this.#settledBy(liveByKey.get(key), write);
  }

  async #readNamed(
    { scope }: ScopedCache,
    key: string,
    writes: readonly AwaitedWrite[],
    signal: AbortSignal,
  ): Promise<void> {
    const live = coversNamespace(scope, splitKey(key).namespace)
      ? await this.#readObject(resourceOf(writes), key, objectQuery(scope, key), signal)
      : undefined;
    for (const write of writes) this.#settledBy(live, write);
  }

  async #readObject(
    resource: Resource,
    key: string,
    query: LiveListQuery | undefined,
    signal: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    if (query !== undefined) return (await this.#list(resource, query, signal))[0];
    return await this.#timed((limit) => this.#options.reader.get(resource, key, "metadata", limit), signal);
  }

  async #list(resource: Resource, query: LiveListQuery, signal: AbortSignal): Promise<readonly KubernetesObject[]> {
    const { items } = await this.#timed((limit) => this.#options.reader.list(resource, query, limit), signal);
    return items;
  }

  async #timed<R>(read: (signal: AbortSignal) => Promise<R>, signal: AbortSignal): Promise<R> {
    const { clock, onRead } = this.#options;
    return await this.#slots.run(async () => {
      const timers = clock.labelled({ kind: "background", name: "settling read" });
      using limit = timeoutSignal(signal, readTimeoutMs, { clock: timers, what: "a read that settles a write" });
      onRead();
      return await read(limit.signal);
    }, signal);
  }

  #settledBy(live: KubernetesObject | undefined, write: AwaitedWrite): void {
    if (!isGenerated(write.expected)) this.#settled(write, settledBy(live, write.expected, write.cache));
  }

  #settled(write: AwaitedWrite, expected: readonly Expected[]): void {
    this.remove(write);
    if (!write.isOver) this.#options.onSettled(write, expected);
  }
}

function nameOf({ expected }: AwaitedWrite): string {
  return isGenerated(expected) ? expected.namespace : splitKey(expected.key).namespace;
}

function resourceOf([write]: readonly AwaitedWrite[]): Resource {
  if (write === undefined) throw new Error("a read for no write");
  return write.expected.resource;
}

/** Waits for all of them; throws the first failure. */
async function allOf<R>(work: readonly Promise<R>[]): Promise<readonly R[]> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
