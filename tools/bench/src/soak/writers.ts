// Writes at a rate: creates, updates and deletes, so that the number of objects stays the same. Most are ConfigMaps of 2 KB and pods, which every
// admission plugin looks at; some are ConfigMaps of 1 MB.
import { randomBelow, type seededRandom, systemClock } from "@kubeloop/core/base";
import { type Asker, versionIn } from "./ask.ts";
import { afterChange, type Change, emptyTally, type Tally } from "./tally.ts";

type Random = ReturnType<typeof seededRandom>;

export interface WriterOptions {
  readonly asker: Asker;
  readonly random: Random;
  readonly namespaces: readonly string[];
  readonly writesPerSecond: number;
  /** One write in so many is of a large object. */
  readonly largeEvery: number;
}

interface Pool {
  readonly namespace: string;
  readonly kind: ObjectKind;
  /** So many objects are kept. */
  readonly size: number;
  /** Those that nobody is writing at the moment. */
  readonly idle: string[];
  count: number;
}

type ObjectKind = "configmaps" | "large" | "pods";

/** Requests in flight, at most: what the server cannot carry is not piled up, and shows as a lower rate. */
const mostInFlight = 64;
const poolSizes: Readonly<Record<ObjectKind, number>> = { configmaps: 40, pods: 10, large: 2 };
const labels = { soak: "yes" };
/** ConfigMaps hold at most a mebibyte of data. */
const largeBytes = 1_000_000;

export class Writers {
  readonly #options: WriterOptions;
  readonly #pools: Readonly<Record<ObjectKind, readonly Pool[]>>;
  readonly #tallies = new Map<string, Tally>();
  readonly #refusals = new Map<string, number>();
  #inFlight = 0;
  #done = 0;
  #serial = 0;
  #unknown = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    const pools = (kind: ObjectKind): readonly Pool[] =>
      options.namespaces.map((namespace) => ({ namespace, kind, size: poolSizes[kind], idle: [], count: 0 }));
    this.#pools = { configmaps: pools("configmaps"), pods: pools("pods"), large: pools("large") };
  }

  /** Writes that succeeded. */
  get done(): number {
    return this.#done;
  }

  /** Writes without an answer: whether they happened nobody knows. */
  get unknown(): number {
    return this.#unknown;
  }

  /** By code and reason. */
  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals;
  }

  get objects(): number {
    return Object.values(this.#pools)
      .flat()
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** Of a resource in a namespace, or in all of them for an empty one. */
  tallyOf(resource: string, namespace: string): Tally {
    return this.#tallies.get(`${resource}/${namespace}`) ?? emptyTally;
  }

  /** Until aborted, and until the last answer is there. */
  async run(signal: AbortSignal): Promise<void> {
    const { writesPerSecond } = this.#options;
    let lastMs = systemClock.monotonic();
    let due = 0;
    while (!signal.aborted) {
      await systemClock.sleep(5, signal).catch(() => {});
      const nowMs = systemClock.monotonic();
      // What was not written in a second is not made up for later.
      due = Math.min(due + ((nowMs - lastMs) * writesPerSecond) / 1000, writesPerSecond);
      lastMs = nowMs;
      for (; due >= 1 && this.#inFlight < mostInFlight && !signal.aborted; due--) void this.#writeOne();
    }
    while (this.#inFlight > 0) await systemClock.sleep(5, neverAborted);
  }

  async #writeOne(): Promise<void> {
    this.#inFlight++;
    try {
      await this.#write(this.#choose());
    } finally {
      this.#inFlight--;
    }
  }

  #choose(): Pool {
    const { random, largeEvery } = this.#options;
    this.#serial++;
    const kind = this.#serial % largeEvery === 0 ? "large" : randomBelow(random, 5) === 0 ? "pods" : "configmaps";
    const pools = this.#pools[kind];
    return pools[randomBelow(random, pools.length)] as Pool;
  }

  async #write(pool: Pool): Promise<void> {
    if (pool.count < pool.size || pool.idle.length === 0) {
      const name = `${pool.kind}-${this.#serial}`;
      const isCreated = await this.#send(pool, "POST", name);
      if (isCreated) {
        pool.count++;
        pool.idle.push(name);
      }
      return;
    }
    const { random } = this.#options;
    const [name = ""] = pool.idle.splice(randomBelow(random, pool.idle.length), 1);
    // One in four goes, and the next write of this pool makes another.
    if (randomBelow(random, 4) === 0) {
      if (await this.#send(pool, "DELETE", name)) pool.count--;
      else pool.idle.push(name);
      return;
    }
    await this.#send(pool, "PUT", name);
    pool.idle.push(name);
  }

  async #send(pool: Pool, method: "POST" | "PUT" | "DELETE", name: string): Promise<boolean> {
    const { namespace, kind } = pool;
    const resource = kind === "pods" ? "pods" : "configmaps";
    const collection = `/api/v1/namespaces/${namespace}/${resource}`;
    // A pod's containers are fixed: of an existing one only an annotation changes.
    const isPatch = method === "PUT" && kind === "pods";
    const asked = {
      method: isPatch ? "PATCH" : method,
      path: method === "POST" ? collection : `${collection}/${name}`,
      ...(method === "DELETE" ? {} : { body: isPatch ? annotation(this.#serial) : bodyOf(kind, name, this.#serial) }),
      ...(isPatch ? { type: "application/merge-patch+json" } : {}),
    };
    try {
      const { code, text } = await this.#options.asker.ask(asked);
      if (code >= 300) {
        const reason = `${code} ${/"message":"([^"]{0,80})/.exec(text)?.[1] ?? ""}`;
        this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
        return false;
      }
      this.#note(resource, namespace, method === "DELETE" ? { kind: "deleted" } : written(method, text));
      return true;
    } catch {
      this.#unknown++;
      return false;
    }
  }

  #note(resource: string, namespace: string, change: Change): void {
    this.#done++;
    for (const scope of [`${resource}/${namespace}`, `${resource}/`]) {
      this.#tallies.set(scope, afterChange(this.#tallies.get(scope) ?? emptyTally, change));
    }
  }
}

const neverAborted = new AbortController().signal;

function written(method: "POST" | "PUT", text: string): Change {
  const version = versionIn(text);
  if (version === undefined) throw new Error(`an answer without a version: ${text.slice(0, 300)}`);
  return { kind: method === "POST" ? "created" : "updated", version };
}

const annotation = (serial: number) => ({ metadata: { annotations: { serial: String(serial) } } });

function bodyOf(kind: ObjectKind, name: string, serial: number): object {
  const metadata = { name, labels };
  switch (kind) {
    case "configmaps":
      return { metadata, data: { serial: String(serial), text: String(serial % 10).repeat(2_000) } };
    case "large":
      return { metadata, data: { serial: String(serial), text: String(serial % 10).repeat(largeBytes) } };
    case "pods":
      return { metadata, spec: { containers: [{ name: "c", image: `example.com/app:${serial}` }] } };
  }
}
