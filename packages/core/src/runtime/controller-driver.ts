// Runs one controller: its informers, its memory, its queues and their workers, for all three shapes.
//
// Promises
// - Workers start only after every handler has been told everything there was, so that memory and caches are whole; if that takes
//   too long, `run` fails and names who did not get there (or starts all the same, for a controller that can).
// - `run` ends when the signal aborts and everything it started has ended; or with what failed. Other controllers do not notice:
//   what they share are informers, which the process runs.
// - Watches that follow discovery do so every half minute; a group that cannot be read keeps what it has.
import { keyOf, type Resource } from "../api/index.ts";
import {
  type Clock,
  deferred,
  inFlight,
  isAborted,
  KubeloopError,
  type Log,
  type Metrics,
  noLog,
  noMetrics,
  onAbort,
  systemClock,
  TaskScope,
  timeoutSignal,
  toError,
} from "../base/index.ts";
import {
  type Change,
  type Controller,
  type ControllerQueue,
  type EventAction,
  isGroupKnown,
  type Wake,
  type Watch,
} from "../contract/index.ts";
import { type EventDetails, waitFor } from "../informer/index.ts";
import { ControllerCaches } from "./cache-snapshot.ts";
import { type DriverMetrics, driverMetrics } from "./driver-metrics.ts";
import { liveReader } from "./live-reader.ts";
import { Ports } from "./ports.ts";
import { QueueWorker } from "./queue-worker.ts";
import { ReadYourWrites, type WriteGate } from "./read-your-writes.ts";
import { reconcile } from "./reconcile.ts";
import { type UnsyncedSource, type WatchSourceOptions, WatchSources } from "./watch-sources.ts";

export interface ControllerDriverOptions extends Omit<WatchSourceOptions, "clock" | "log"> {
  /** The system's unless given. */
  readonly clock?: Clock;
  readonly log?: Log;
  /** Implementations of what the controller's ports name. */
  readonly ports?: Ports;
  /** Where events go; nowhere unless given. Must neither block nor throw. */
  readonly recordEvent?: (event: EventAction) => void;
  /** For caches to fill; 2 min unless given. */
  readonly syncTimeoutMs?: number;
  /** Instead of what the controller says: end, start with those that are filled, or go on waiting and say so each time. */
  readonly onSyncTimeout?: "fail" | "start" | "wait";
  /** For one key, all its requests included; 5 min unless given. */
  readonly reconcileTimeoutMs?: number;
  /** For one request; 30 s unless given. */
  readonly requestTimeoutMs?: number;
  /** Requests of one plan under way at a time; 32 unless given. */
  readonly maxParallel?: number;
  /** How often `decide` may ask before it must decide; 4 unless given. */
  readonly maxRounds?: number;
  /** How often discovery is looked at, where watches follow it; 30 s unless given. */
  readonly discoveryMs?: number;
  /** How long a cache may lag behind own writes before the server is asked; 10 s unless given. */
  readonly settleAfterMs?: number;
  /** Workers of a queue, instead of what the controller says. */
  readonly workers?: Readonly<Record<string, number>>;
  /** Only for tests, which show what happens with a gate that leaks. */
  readonly wrapGate?: (gate: WriteGate) => WriteGate;
}

/** Not run yet; waiting until its caches are filled; its workers run; over. */
export type DriverState = "new" | "syncing" | "working" | "ended";

interface RunningQueue {
  readonly worker: QueueWorker;
  readonly gate: WriteGate;
  readonly workers: number;
}

const lowPriority = -100;

export class ControllerDriver<M = undefined> {
  readonly #controller: Controller<M>;
  readonly #options: ControllerDriverOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #counted: DriverMetrics;
  readonly #caches = new ControllerCaches();
  readonly #model: M;
  readonly #queues = new Map<string, RunningQueue>();
  readonly #sources: WatchSources;
  readonly #firstQueue: string;
  #state: DriverState = "new";

  constructor(controller: Controller<M>, options: ControllerDriverOptions) {
    const { clock = systemClock, log = noLog, metrics = noMetrics, ports = new Ports() } = options;
    const missing = ports.missing(controller.ports);
    if (missing.length > 0) throw misuse(`${controller.name} lacks ports: ${missing.join(", ")}`);
    this.#controller = controller;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.with({ controller: controller.name });
    this.#metrics = metrics;
    this.#counted = driverMetrics(metrics, controller.name);
    this.#model = controller.newModel();
    this.#firstQueue = Object.keys(controller.queues)[0] ?? "";
    this.#sources = new WatchSources(
      { ...options, clock, log: this.#log },
      { controller: controller.name, caches: this.#caches, indexes: controller.indexes, listener: this.#listener() },
    );
  }

  get name(): string {
    return this.#controller.name;
  }

  get state(): DriverState {
    return this.#state;
  }

  /** Sources of its caches that do not show what the server has: not filled yet, or gone deaf since. For health checks. */
  unsynced(): readonly UnsyncedSource[] {
    return this.#sources.unsynced();
  }

  /** Looks at a key, as if something had happened to it. */
  wake(...wakes: readonly Wake[]): void {
    this.#wake(wakes, {});
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw misuse(`${this.name} runs once only`);
    this.#state = "syncing";
    const scope = new TaskScope(signal);
    this.#openQueues();
    try {
      await this.#follow(scope, scope.signal);
      await this.#waitForSync(scope.signal);
      this.#state = "working";
      this.#spawnWorkers(scope);
      if (this.#controller.followsDiscovery) void scope.spawn((each) => this.#followDiscovery(scope, each));
      const end = deferred();
      using _ending = onAbort(scope.signal, () => end.resolve());
      await end.promise;
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
    } finally {
      this.#state = "ended";
      scope.abort(signal.reason);
      await Promise.allSettled([this.#sources.close()]);
      for (const { worker } of this.#queues.values()) worker[Symbol.dispose]();
      await scope.join();
    }
  }

  #openQueues(): void {
    const { ports = new Ports(), recordEvent = () => {}, client } = this.#options;
    const { requestTimeoutMs = 30_000, reconcileTimeoutMs = 300_000, maxParallel = 32, maxRounds = 4 } = this.#options;
    const clock = this.#clock;
    const reader = liveReader(client);
    const requestClock = clock.labelled({ kind: "background", name: "request deadline" });
    const questions = { reader, discovery: client.discovery, ports, clock: requestClock, requestTimeoutMs };
    const { writes } = this.#controller;
    const apply = { client, ports, recordEvent, clock: requestClock, requestTimeoutMs, maxParallel, writes };
    const names = Object.keys(this.#controller.queues);
    let total = 0;
    for (const [name, queue] of Object.entries<ControllerQueue<M>>(this.#controller.queues)) {
      const ownGate = new ReadYourWrites({
        cachesOf: (resource) => this.#caches.cachesOf(resource),
        reader,
        clock,
        settleAfterMs: this.#options.settleAfterMs,
        skips: this.#counted.skips,
        settlements: this.#counted.settlements,
      });
      const gate = this.#options.wrapGate?.(ownGate) ?? ownGate;
      const wake = (wakes: readonly Wake[]) => this.#wake(wakes, { queue: name });
      const tools = { queue, snapshot: this.#caches, model: this.#model, gate, questions, apply, maxRounds, wake };
      const worker = new QueueWorker({
        name: names.length === 1 ? this.name : `${this.name} ${name}`,
        definition: queue as ControllerQueue<unknown>,
        clock,
        log: this.#log,
        metrics: this.#metrics,
        counted: this.#counted,
        reconcileTimeoutMs,
        reconcile: (key, each) => reconcile(key, tools, each),
        isEcho: (key, change) => gate.isEcho(key, change),
      });
      const workers = this.#options.workers?.[name] ?? queue.workers;
      total += workers;
      this.#queues.set(name, { worker, gate, workers });
    }
    this.#counted.maxConcurrent.set(total);
  }

  #spawnWorkers(scope: TaskScope): void {
    for (const [name, { worker, workers }] of this.#queues) {
      if (this.#controller.queues[name]?.everyMs !== undefined) worker.queue.add("");
      for (let i = 0; i < workers; i++) void scope.spawn((each) => worker.run(each));
    }
  }

  /** Opens what is to be watched now. */
  async #follow(scope: TaskScope, signal: AbortSignal): Promise<void> {
    const { followsDiscovery } = this.#controller;
    const served = followsDiscovery ? await this.#options.client.discovery.refresh(signal) : undefined;
    this.#caches.served = served;
    const isKept = (resource: Resource) => served !== undefined && !isGroupKnown(served, resource.apiVersion);
    await this.#sources.follow(this.#controller.watchesFor(served), { isKept, scope });
  }

  async #followDiscovery(scope: TaskScope, signal: AbortSignal): Promise<void> {
    const clock = this.#clock.labelled({ kind: "background", name: `discovery of ${this.name}` });
    for (;;) {
      await clock.sleep(this.#options.discoveryMs ?? 30_000, signal);
      try {
        await inFlight(this.#clock, "discovery", () => this.#follow(scope, signal));
      } catch (error) {
        if (isAborted(error, signal)) return;
        this.#log.warn("discovery failed: watches stay as they are", { error: toError(error) });
      }
    }
  }

  async #waitForSync(signal: AbortSignal): Promise<void> {
    const clock = this.#clock.labelled({ kind: "background", name: `caches of ${this.name}` });
    const limitMs = this.#options.syncTimeoutMs ?? 120_000;
    const onTimeout = this.#options.onSyncTimeout ?? this.#controller.onSyncTimeout;
    for (;;) {
      using limit = timeoutSignal(signal, limitMs, { clock, what: `filling the caches of ${this.name}` });
      const result = await waitFor(this.#sources.syncing, {}, limit.signal);
      signal.throwIfAborted();
      const error = result.asError(this.name);
      if (error === undefined) return;
      // One that was stopped will never be filled.
      if (onTimeout === "fail" || !limit.signal.aborted) throw error;
      if (onTimeout === "start") {
        this.#log.warn("starts although not all caches are filled", { error });
        return;
      }
      this.#log.error("waits, because not all caches are filled", { error });
    }
  }

  #listener() {
    return {
      changed: (change: Change, watches: readonly Watch[], details: EventDetails) =>
        this.#changed(change, watches, details),
      vanished: (key: string, watches: readonly Watch[]) => {
        for (const { wakes, queue, afterMs } of watches) {
          if (wakes === "itself") this.#wake([key], { queue, afterMs });
        }
      },
    };
  }

  #changed(change: Change, watches: readonly Watch[], { cause }: EventDetails): void {
    const priority = cause === "initial" || cause === "resync" ? lowPriority : undefined;
    const view = { snapshot: this.#caches, nowMs: this.#clock.now() };
    // Each key once, however many ways lead from the change to it.
    const woken = new Set<string>();
    if (cause !== "resync") this.#wake(this.#controller.absorb(this.#model, change, view), { priority, change, woken });
    for (const watch of watches) {
      if (watch.when?.(change) === false) continue;
      const { queue, afterMs } = watch;
      this.#wake(watch.keysOf(change, this.#caches), { queue, afterMs, priority, change, woken });
    }
    // Whoever waits to see this very object looks at once whether it may go on.
    for (const [queue, { gate }] of this.#queues) {
      this.#wake(gate.waitingFor(change.resource, keyOf(change.object)), { queue, change, woken });
    }
  }

  #wake(
    wakes: readonly Wake[],
    defaults: {
      readonly queue?: string | undefined;
      readonly afterMs?: number | undefined;
      readonly priority?: number | undefined;
      /** Why. */
      readonly change?: Change | undefined;
      /** Who is woken already. */
      readonly woken?: Set<string> | undefined;
    },
  ): void {
    for (const wake of wakes) {
      const { key, queue, afterMs } =
        typeof wake === "string" ? { key: wake, queue: undefined, afterMs: undefined } : wake;
      const named = queue ?? defaults.queue ?? this.#firstQueue;
      const running = this.#queues.get(named);
      if (running === undefined) throw misuse(`${this.name} has no queue ${named}`);
      const { priority, change } = defaults;
      const delayMs = afterMs ?? defaults.afterMs ?? 0;
      const id = `${named} ${delayMs} ${key}`;
      if (defaults.woken?.has(id) === true) continue;
      defaults.woken?.add(id);
      if (delayMs > 0) running.worker.queue.addAfter(key, delayMs, { priority });
      else if (change !== undefined) running.worker.wake(key, change, { priority });
      else running.worker.queue.add(key, { priority });
    }
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
