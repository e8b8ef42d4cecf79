// Runs one controller: its informers, its memory, its queues and their workers, for all three shapes and both styles.
//
// Promises
// - Workers start only after every source has told of everything there was, so that memory and caches are whole; if that takes too
//   long, `run` fails and names who did not get there (or starts all the same, or goes on waiting, as it is told to).
// - `run` ends when the signal aborts and everything it started has ended; or with what failed. Other controllers do not notice:
//   what they share are informers, which the process runs.
// - Watches that follow discovery do so every half minute; a group that cannot be read keeps what it has.
import { keyOf } from "../api/index.ts";
import { deferred, isAborted, KubeloopError, onAbort, TaskScope } from "../base/index.ts";
import type { Change, Controller, ControllerQueue, Wake, Watch } from "../contract/index.ts";
import { ControllerCaches } from "./cache-snapshot.ts";
import { ControllerSources } from "./controller-sources.ts";
import { type DriverMetrics, driverMetrics } from "./driver-metrics.ts";
import { type ControllerDriverOptions, type DriverSettings, driverSettings } from "./driver-options.ts";
import { type OpenQueue, openQueue } from "./open-queue.ts";
import { ControllerSpans } from "./tracing/controller-spans.ts";
import type { SpanContext } from "./tracing/tracer.ts";
import type { UnsyncedSource } from "./watch-sources.ts";

export type { ControllerDriverOptions } from "./driver-options.ts";

/** Not run yet; waiting until its caches are filled; its workers run; over. */
export type DriverState = "new" | "syncing" | "working" | "ended";

interface WakeDefaults {
  readonly queue?: string | undefined;
  readonly afterMs?: number | undefined;
  readonly priority?: number | undefined;
  /** Why. */
  readonly change?: Change | undefined;
  readonly by?: (() => SpanContext) | undefined;
  /** Who is woken already. */
  readonly woken?: Set<string> | undefined;
}

const lowPriority = -100;

export class ControllerDriver<M = undefined> {
  readonly #controller: Controller<M>;
  readonly #settings: DriverSettings;
  readonly #counted: DriverMetrics;
  readonly #spans: ControllerSpans | undefined;
  readonly #caches = new ControllerCaches();
  readonly #model: M;
  readonly #queues = new Map<string, OpenQueue>();
  readonly #sources: ControllerSources;
  readonly #firstQueue: string;
  #state: DriverState = "new";

  constructor(controller: Controller<M>, options: ControllerDriverOptions) {
    const { name } = controller;
    const given = driverSettings(options);
    const missing = given.ports.missing(controller.ports);
    if (missing.length > 0) throw misuse(`${name} lacks ports: ${missing.join(", ")}`);
    const settings = { ...given, log: given.log.with({ controller: name }) };
    const { tracer, clock, metrics } = settings;
    this.#controller = controller;
    this.#settings = settings;
    this.#counted = driverMetrics(metrics, name);
    this.#spans = tracer === undefined ? undefined : new ControllerSpans({ tracer, controller: name, clock });
    this.#model = controller.newModel();
    this.#firstQueue = Object.keys(controller.queues)[0] ?? "";
    const listener = this.#listener();
    this.#sources = new ControllerSources({
      controller: controller as Controller<unknown>,
      caches: this.#caches,
      settings,
      listener,
    });
  }

  get name(): string {
    return this.#controller.name;
  }

  get state(): DriverState {
    return this.#state;
  }

  /** Sources that do not show what there is: not filled yet, or gone deaf since; and why. For health checks. */
  unsynced(): readonly UnsyncedSource[] {
    return this.#state === "new" || this.#state === "ended" ? [] : this.#sources.unsynced();
  }

  /** Looks at a key, as if something had happened to it. While it does not run, nobody hears. */
  wake(...wakes: readonly Wake[]): void {
    if (this.#queues.size > 0) this.#wake(wakes, {});
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") throw misuse(`${this.name} runs once only`);
    this.#state = "syncing";
    const scope = new TaskScope(signal);
    this.#openQueues();
    try {
      await this.#sources.start(scope);
      await this.#sources.waitForSync(scope.signal);
      this.#state = "working";
      this.#spawnWorkers(scope);
      const end = deferred();
      using _ending = onAbort(scope.signal, () => end.resolve());
      await end.promise;
    } catch (error) {
      if (!isAborted(error, scope.signal)) throw error;
    } finally {
      this.#state = "ended";
      scope.abort(signal.reason);
      await Promise.allSettled([this.#sources.close()]);
      for (const { worker } of this.#queues.values()) worker[Symbol.dispose]();
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

  #spawnWorkers(scope: TaskScope): void {
    for (const [name, { worker, workers }] of this.#queues) {
      if (this.#controller.queues[name]?.everyMs !== undefined) worker.wake("");
      for (let i = 0; i < workers; i++) void scope.spawn((each) => worker.run(each));
    }
  }

  #listener() {
    return {
      changed: (change: Change, watches: readonly Watch[]) => this.#changed(change, watches),
      vanished: (key: string, watches: readonly Watch[]) => {
        for (const { wakes, queue, afterMs } of watches) {
          if (wakes === "itself") this.#wake([key], { queue, afterMs });
        }
      },
      woken: (wake: Wake, { isInitial }: { readonly isInitial: boolean }) =>
        this.#wake([wake], { priority: isInitial ? lowPriority : undefined }),
    };
  }

  #changed(change: Change, watches: readonly Watch[]): void {
    const { cause } = change;
    const priority = cause === "initial" || cause === "resync" ? lowPriority : undefined;
    const view = { snapshot: this.#caches, nowMs: this.#settings.clock.now() };
    // Each key once, however many ways lead from the change to it.
    const common = { priority, change, woken: new Set<string>(), by: this.#spans?.event(change) };
    if (cause !== "resync") this.#wake(this.#controller.absorb(this.#model, change, view), common);
    for (const watch of watches) {
      if (watch.when?.(change) === false) continue;
      const { queue, afterMs } = watch;
      this.#wake(watch.keysOf(change, this.#caches), { ...common, queue, afterMs });
    }
    // Whoever waits to see this very object looks at once whether it may go on.
    for (const [queue, { gate }] of this.#queues) {
      this.#wake(gate.noteChange(change.resource, keyOf(change.object)), { ...common, queue, priority: undefined });
    }
  }

  #wake(wakes: readonly Wake[], defaults: WakeDefaults): void {
    for (const wake of wakes) {
      const { key, queue, afterMs, priority }: Exclude<Wake, string> = typeof wake === "string" ? { key: wake } : wake;
      const named = queue ?? defaults.queue ?? this.#firstQueue;
      const open = this.#queues.get(named);
      if (open === undefined) throw misuse(`${this.name} has no queue ${named}`);
      const delayMs = afterMs ?? defaults.afterMs ?? 0;
      const id = `${named} ${delayMs} ${key}`;
      if (defaults.woken?.has(id) === true) continue;
      defaults.woken?.add(id);
      open.worker.wake(key, {
        priority: priority ?? defaults.priority,
        change: defaults.change,
        span: defaults.by,
        ...(delayMs > 0 ? { afterMs: delayMs } : {}),
      });
    }
  }
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
