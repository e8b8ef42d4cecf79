// Runs one controller: its informers, its model, its queues and their workers, which execute rules or procedures.
//
// Promises
// - Workers start only after every source has reported its initial state, so that the model and the caches are complete. If that takes too
//   long, `run` fails and names the sources that have not synced (or it starts the workers anyway, or continues to wait: `onSyncTimeout`). A
//   key that reads a cache which has not synced is requeued until that cache has synced.
// - `run` ends when the signal aborts and everything it started has ended, or it throws the failure. Keys that are being reconciled at that
//   moment may finish within `drainMs`; no other key is taken from a queue. Other controllers are not affected: they share only informers,
//   which the process runs.
// - Watches that follow discovery are updated every half minute. If discovery of an API group fails, the watches of that group stay.
// - A mapping, predicate, index function or `absorb` that throws is counted as a panic and logged with its name. Only the keys that this
//   call would have returned are not added.
import { keyOf } from "../api/index.ts";
import { deferred, isAborted, KubeloopError, onAbort, TaskScope, toError, YieldBudget } from "../base/index.ts";
import type { ControllerQueue } from "../contract/for-drivers.ts";
import type { Change, Controller, Wake, Watch } from "../contract/index.ts";
import { ControllerCaches } from "./controller-caches.ts";
import { ControllerMetrics } from "./controller-metrics.ts";
import { ControllerSources } from "./controller-sources.ts";
import { type ControllerDriverOptions, type DriverSettings, driverSettings } from "./driver-options.ts";
import { type OpenQueue, openQueue } from "./open-queue.ts";
import { PanicError } from "./panic-error.ts";
import type { WriteGate } from "./read-your-writes.ts";
import { type DriverMetrics, driverMetrics } from "./reconcile-metrics.ts";
import { StaleReadError } from "./stale-read-error.ts";
import { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";
import type { UnsyncedSource } from "./watch-sources.ts";
import type { ChangeListener } from "./watched-informer.ts";

export type { ControllerDriverOptions } from "./driver-options.ts";

/** "new": not run yet. "syncing": waits for its caches to sync. "working": its workers run. "ended": `run` is over. */
export type DriverState = "new" | "syncing" | "working" | "ended";

interface WakeDefaults {
  readonly queue?: string | undefined;
  readonly afterMs?: number | undefined;
  readonly priority?: number | undefined;
  /** The change that adds the keys. */
  readonly change?: Change | undefined;
  readonly by?: (() => SpanContext) | undefined;
  /** The keys that this change has added already; undefined where the change cannot add a key twice. */
  readonly added?: Set<string> | undefined;
}

const lowPriority = -100;
const noKeys: readonly Wake[] = [];

export class ControllerDriver<M = undefined> {
  readonly #controller: Controller<M>;
  readonly #settings: DriverSettings;
  readonly #counted: DriverMetrics;
  readonly #measures: ControllerMetrics;
  readonly #spans: ControllerSpans | undefined;
  readonly #caches = new ControllerCaches();
  readonly #model: M;
  readonly #queues = new Map<string, OpenQueue>();
  /** Of the queues. Every change goes through it, and an array is read faster than a map. */
  readonly #gates: { readonly queue: string; readonly gate: WriteGate }[] = [];
  /** Changes, by watch and object, that were mapped before all caches that the mapping reads had synced. */
  readonly #partlyMapped = new Map<Watch, Map<string, Change>>();
  readonly #sources: ControllerSources;
  readonly #firstQueue: string;
  #state: DriverState = "new";

  constructor(controller: Controller<M>, options: ControllerDriverOptions) {
    const { name, discoveryErrors } = controller;
    const given = driverSettings(options);
    const missing = given.ports.missing(controller.ports);
    if (missing.length > 0) throw misuse(`${name} lacks ports: ${missing.join(", ")}`);
    const settings = { ...given, log: given.log.with({ controller: name }) };
    const { tracer, clock, metrics } = settings;
    this.#controller = controller;
    this.#settings = settings;
    this.#counted = driverMetrics(metrics, name);
    this.#measures = new ControllerMetrics(metrics, controller.metrics);
    this.#spans = tracer === undefined ? undefined : new ControllerSpans({ tracer, controller: name, clock });
    this.#model = controller.newModel();
    this.#firstQueue = Object.keys(controller.queues)[0] ?? "";
    const listener = this.#listener();
    this.#sources = new ControllerSources({
      controller: controller as unknown as Controller<never>,
      caches: this.#caches,
      settings,
      listener,
      discoveryFailed: () => this.#measures.record(discoveryErrors === undefined ? [] : [discoveryErrors.inc()]),
    });
  }

  get name(): string {
    return this.#controller.name;
  }

  get state(): DriverState {
    return this.#state;
  }

  /** Returns the sources whose caches have not synced, or that no longer receive events, each with the reason. For health checks. */
  unsynced(): readonly UnsyncedSource[] {
    return this.#state === "new" || this.#state === "ended" ? [] : this.#sources.unsynced();
  }

  /** Adds keys to the queues, as a change would. Does nothing while the controller does not run. */
  wake(...wakes: readonly Wake[]): void {
    if (this.#queues.size > 0) this.#wake(wakes, {});
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw misuse(`${this.name} runs once only`);
    this.#state = "syncing";
    const scope = new TaskScope(signal);
    // Aborts the reconciles in progress. The scope is aborted before that, so the workers take no more keys.
    const work = new AbortController();
    let workers: readonly Promise<void>[] = [];
    this.#openQueues();
    using _collecting = this.#settings.metrics.onCollect(() => this.#collect());
    try {
      await this.#sources.start(scope);
      await this.#sources.waitForSync(scope.signal);
      this.#state = "working";
      workers = this.#spawnWorkers(scope, work.signal);
      const end = deferred();
      using _ending = onAbort(scope.signal, () => end.resolve());
      await end.promise;
    } catch (error) {
      if (!isAborted(error, scope.signal)) throw error;
    } finally {
      scope.abort(signal.reason);
      await this.#drain(workers, work, scope.signal.reason);
      this.#state = "ended";
      await Promise.allSettled([this.#sources.close()]);
      for (const { worker, ownWrites } of this.#queues.values()) {
        worker[Symbol.dispose]();
        ownWrites[Symbol.dispose]();
      }
      await scope.join();
    }
  }

  #openQueues(): void {
    const parts = {
      controller: this.#controller,
      caches: this.#caches,
      model: this.#model,
      settings: this.#settings,
      counted: this.#counted,
      measures: this.#measures,
      spans: this.#spans,
    };
    for (const [name, queue] of Object.entries<ControllerQueue<M>>(this.#controller.queues)) {
      const wake = (wakes: readonly Wake[], by: (() => SpanContext) | undefined) =>
        this.#wake(wakes, { queue: name, by });
      const open = openQueue(name, queue, { ...parts, wake });
      this.#queues.set(name, open);
      this.#gates.push({ queue: name, gate: open.gate });
    }
    this.#counted.maxConcurrent.set([...this.#queues.values()].reduce((total, { workers }) => total + workers, 0));
    this.#counted.active.set(0);
  }

  #spawnWorkers(scope: TaskScope, work: AbortSignal): readonly Promise<void>[] {
    const spawned: Promise<void>[] = [];
    for (const [name, { worker, workers }] of this.#queues) {
      if (this.#controller.queues[name]?.everyMs !== undefined) worker.wake("");
      for (let i = 0; i < workers; i++) spawned.push(scope.spawn((each) => worker.run(each, work)));
    }
    return spawned;
  }

  /** Caches stay open until the last worker has ended, because a decision may still read them. */
  async #drain(workers: readonly Promise<void>[], work: AbortController, reason: unknown): Promise<void> {
    const { clock, drainMs: limit } = this.#settings;
    const drainMs = typeof limit === "function" ? limit() : limit;
    using _limit = drainMs > 0 && workers.length > 0 ? clock.after(drainMs, () => work.abort(reason)) : undefined;
    if (drainMs <= 0) work.abort(reason);
    await Promise.allSettled(workers);
    work.abort(reason);
  }

  #listener(): ChangeListener & { woken(wake: Wake, source: { readonly isInitial: boolean }): void } {
    return {
      changed: (change, watches) => this.#changed(change, watches),
      repeated: (change, watches) => this.#addKeys(change, watches, lowPriority),
      vanished: (key, watches) => {
        for (const { wakes, queue, afterMs } of watches) {
          if (wakes === "itself") this.#wake([key], { queue, afterMs });
        }
      },
      synced: async () => {
        for (const { worker } of this.#queues.values()) worker.wakeUnsynced();
        await this.#mapAgain();
      },
      panicked: (where, error) => this.#panicked(where, error),
      woken: (wake, { isInitial }) => this.#wake([wake], { priority: isInitial ? lowPriority : undefined }),
    };
  }

  #changed(change: Change, watches: readonly Watch[]): void {
    const priority = change.cause === "initial" ? lowPriority : undefined;
    const { absorb } = this.#controller;
    if (absorb !== undefined) {
      try {
        const view = { snapshot: this.#caches.partial, nowMs: this.#settings.clock.now() };
        const wakes = this.#controller.absorb?.(this.#model, change, view) ?? [];
        if (wakes.length > 0) this.#wake(wakes, { priority, change, by: this.#spans?.event(change) });
      } catch (error) {
        this.#panicked(`absorb of ${change.resource.plural}`, error);
      }
    }
    this.#addKeys(change, watches, priority);
    // A key that was delayed until the cache shows this object is added immediately.
    const key = keyOf(change.object);
    for (const { queue, gate } of this.#gates) {
      const waiting = gate.noteChange(change.resource, key);
      if (waiting.length > 0) this.#wake(waiting, { queue, change, by: this.#spans?.event(change) });
    }
  }

  #addKeys(change: Change, watches: readonly Watch[], priority: number | undefined): void {
    // Each key is added once, even if several watches map the change to it.
    let defaults: WakeDefaults | undefined;
    for (const watch of watches) {
      if (watch.wakes === "cache") continue;
      try {
        const { partial } = this.#caches;
        this.#caches.hasReadUnsynced = false;
        const keys = watch.when?.(change, partial) === false ? noKeys : watch.keysOf(change, partial);
        if (this.#caches.hasReadUnsynced) this.#mapLater(watch, change);
        if (keys.length === 0) continue;
        defaults ??= {
          priority,
          change,
          by: this.#spans?.event(change),
          added: watches.length > 1 || keys.length > 1 ? new Set() : undefined,
        };
        const { queue, afterMs } = watch;
        this.#wake(keys, queue === undefined && afterMs === undefined ? defaults : { ...defaults, queue, afterMs });
      } catch (error) {
        this.#panicked(`the ${watch.wakes} watch of ${watch.resource.plural}`, error);
      }
    }
  }

  /** Called when a mapping has read an unsynced cache. Its keys may be incomplete, so the change is mapped again when the cache has synced. */
  #mapLater(watch: Watch, change: Change): void {
    const changes = this.#partlyMapped.get(watch) ?? new Map<string, Change>();
    this.#partlyMapped.set(watch, changes.set(keyOf(change.object), change));
  }

  async #mapAgain(): Promise<void> {
    const budget = new YieldBudget(this.#settings.clock);
    const all = [...this.#partlyMapped];
    this.#partlyMapped.clear();
    for (const [watch, changes] of all) {
      for (const change of changes.values()) {
        this.#addKeys(change, [watch], lowPriority);
        if (budget.isUsedUp()) await budget.yield();
      }
    }
  }

  #panicked(where: string, error: unknown): void {
    this.#counted.panics.inc();
    this.#settings.log.error("a function of the controller threw", {
      where,
      error: new PanicError(where, toError(error)),
    });
  }

  #collect(): void {
    const { collect } = this.#controller;
    if (collect === undefined || this.#state !== "working") return;
    const view = { snapshot: this.#caches, model: this.#model, nowMs: this.#settings.clock.now() };
    try {
      const measures = this.#controller.collect?.(view) ?? [];
      const undeclared = this.#measures.findUndeclared(measures);
      if (undeclared !== undefined) throw misuse(`metric ${undeclared} is not declared`);
      this.#measures.record(measures);
    } catch (error) {
      // `collect` has read a cache that has not synced: that is not a bug, and there is nothing to count yet.
      if (!(error instanceof StaleReadError)) this.#panicked("collect", error);
    }
  }

  #wake(wakes: readonly Wake[], defaults: WakeDefaults): void {
    for (const wake of wakes) {
      if (typeof wake === "string") this.#add(wake, undefined, defaults);
      else this.#add(wake.key, wake, defaults);
    }
  }

  #add(key: string, own: Exclude<Wake, string> | undefined, defaults: WakeDefaults): void {
    const named = own?.queue ?? defaults.queue ?? this.#firstQueue;
    const open = this.#queues.get(named);
    if (open === undefined) throw misuse(`${this.name} has no queue "${named}"`);
    if (key !== "" && this.#controller.queues[named]?.everyMs !== undefined) {
      throw misuse(`queue "${named}" of ${this.name} is a sweep: it has one key, "", and does not take "${key}"`);
    }
    const afterMs = own?.afterMs ?? defaults.afterMs ?? 0;
    const { added } = defaults;
    if (added !== undefined) {
      const id = `${named} ${afterMs} ${key}`;
      if (added.has(id)) return;
      added.add(id);
    }
    open.worker.wake(key, {
      priority: own?.priority ?? defaults.priority,
      change: defaults.change,
      span: defaults.by,
      afterMs: afterMs > 0 ? afterMs : undefined,
    });
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
