// Runs one controller: its informers, its model, its queues and their workers, with rules or procedures.
//
// Promises
// - Workers start only after every source has reported everything there was, so that model and caches are whole; if that takes too
//   long, `run` fails and names the sources that have not (or starts all the same, or goes on waiting: `onSyncTimeout`). A key that reads
//   a cache which has not synced is put off until it has.
// - `run` ends when the signal aborts and everything it started has ended; or with what failed. Keys that are worked on at that moment may be
//   finished within `drainMs`; no other key is begun. Other controllers are not affected:
//   what they share are informers, which the process runs.
// - Watches that follow discovery do so every half minute; a group that cannot be read keeps what it has.
// - A mapping, predicate, index function or `absorb` that throws is counted as a panic and logged with its name; only its own keys are not
//   added.
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
import { type DriverMetrics, driverMetrics } from "./reconcile-metrics.ts";
import { StaleReadError } from "./stale-read-error.ts";
import { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";
import type { UnsyncedSource } from "./watch-sources.ts";
import type { ChangeListener } from "./watched-informer.ts";

export type { ControllerDriverOptions } from "./driver-options.ts";

/** Not run yet; waiting for its caches to sync; its workers run; over. */
export type DriverState = "new" | "syncing" | "working" | "ended";

interface WakeDefaults {
  readonly queue?: string | undefined;
  readonly afterMs?: number | undefined;
  readonly priority?: number | undefined;
  /** Why. */
  readonly change?: Change | undefined;
  readonly by?: (() => SpanContext) | undefined;
  /** The keys that this change has added already; undefined where it cannot add one twice. */
  readonly added?: Set<string> | undefined;
}

const lowPriority = -100;

export class ControllerDriver<M = undefined> {
  readonly #controller: Controller<M>;
  readonly #settings: DriverSettings;
  readonly #counted: DriverMetrics;
  readonly #measures: ControllerMetrics;
  readonly #spans: ControllerSpans | undefined;
  readonly #caches = new ControllerCaches();
  readonly #model: M;
  readonly #queues = new Map<string, OpenQueue>();
  /** By watch and object, changes that were mapped before all caches that the mapping reads had synced. */
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

  /** Sources whose caches have not synced, or that no longer receive anything; and why. For health checks. */
  unsynced(): readonly UnsyncedSource[] {
    return this.#state === "new" || this.#state === "ended" ? [] : this.#sources.unsynced();
  }

  /** Adds keys, as if something had happened to them. Ignored while it does not run. */
  wake(...wakes: readonly Wake[]): void {
    if (this.#queues.size > 0) this.#wake(wakes, {});
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw misuse(`${this.name} runs once only`);
    this.#state = "syncing";
    const scope = new TaskScope(signal);
    // Aborts what is under way, after the scope has stopped the workers from taking more keys.
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
      this.#queues.set(name, openQueue(name, queue, { ...parts, wake }));
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

  /** Caches stay open until the last worker has ended: a decision may read them again. */
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
    // A key that was put off until this very object is seen is looked at at once.
    for (const [queue, { gate }] of this.#queues) {
      const waiting = gate.noteChange(change.resource, keyOf(change.object));
      if (waiting.length > 0) this.#wake(waiting, { queue, change, by: this.#spans?.event(change) });
    }
  }

  #addKeys(change: Change, watches: readonly Watch[], priority: number | undefined): void {
    // Each key once, however many ways lead from the change to it.
    let defaults: WakeDefaults | undefined;
    for (const watch of watches) {
      if (watch.wakes === "cache") continue;
      try {
        if (watch.when?.(change) === false) continue;
        this.#caches.hasReadUnsynced = false;
        const keys = watch.keysOf(change, this.#caches.partial);
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

  /** A mapping has read a cache that has not synced: what it found may be only part of what it will find then. */
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
      // A cache that has not synced has nothing to count yet.
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
