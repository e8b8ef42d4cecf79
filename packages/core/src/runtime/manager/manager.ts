// Starts the parts of a process in order (servers, webhooks, caches, controllers), and stops them in reverse order.
//
//   await using manager = new Manager({ client, healthServer: { port: 8081 }, leaderElection: { namespace, name } });
//   manager.addController(fooController);
//   using stop = openStopSignal();
//   await manager.run(stop.signal);
//
// Promises
// - The groups of runnable.ts start one after the other, each when the one before is ready: servers listen, caches have synced. An informer
//   that fails delays only the controllers that need it; the log and `/readyz` name the informer.
// - Leader-only runnables start when this replica becomes the leader. When the lease is lost, they are aborted and the manager waits for them,
//   but not longer than the lease is valid; then everything stops and `run` throws. After that, only a new process can contend again.
// - When the signal aborts, or a runnable fails, the groups stop from the last to the first, within the grace period. The error names the
//   runnables that have not ended by then. `run` returns without an error only if nothing failed and everything ended.
// - Runnables can be added and removed while the manager runs.
import type { Transport } from "../../api/index.ts";
import {
  type Clock,
  defaultLog,
  KubeloopError,
  type Log,
  type Metrics,
  MetricsRegistry,
  type Random,
  systemClock,
  systemRandom,
} from "../../base/index.ts";
import type { Client } from "../../client/index.ts";
import type { Controller } from "../../contract/index.ts";
import {
  coreEventSink,
  EventBroadcaster,
  type EventBroadcasterOptions,
  type EventRecorder,
  recordEventActions,
} from "../../events/index.ts";
import { MetadataSharedInformerFactory, SharedInformerFactory } from "../../informer/index.ts";
import { ControllerDriver } from "../controller-driver.ts";
import { HealthChecks, HttpServer, healthRoutes, metricsHandler, type Routes, routed } from "../serving/index.ts";
import { cachesRunnable } from "./caches.ts";
import { controllerRunnable, warmUpRunnable } from "./controller-runnable.ts";
import { Lifecycle, type ManagerState } from "./lifecycle.ts";
import { ManagerElection } from "./manager-election.ts";
import type { AddControllerOptions, ManagerOptions } from "./manager-options.ts";
import type { MemberState } from "./member.ts";
import { openProcessMetrics } from "./process-metrics.ts";
import type { Placement, Runnable } from "./runnable.ts";

/** A runnable that was added, with a function to remove it. */
export interface Added {
  readonly name: string;
  readonly state: MemberState;
  /** Stops this runnable, waits until it is over and removes it. After that, its name can be used again. */
  remove(): Promise<void>;
}

export interface AddedController<M> extends Added {
  readonly driver: ControllerDriver<M>;
}

export class Manager implements AsyncDisposable {
  readonly client: Client;
  readonly informers: SharedInformerFactory;
  readonly metadata: MetadataSharedInformerFactory;
  readonly metrics: Metrics;
  /** The checks of `/healthz` and `/livez`: only for problems that a restart can fix. */
  readonly healthz: HealthChecks;
  /** The checks of `/readyz`. */
  readonly readyz: HealthChecks;
  /** Answers probes and scrapes as the servers do, but without a socket. */
  readonly handler: Transport;
  readonly healthServer: HttpServer | undefined;
  readonly metricsServer: HttpServer | undefined;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #random: Random;
  readonly #events: EventBroadcaster | undefined;
  readonly #election: ManagerElection | undefined;
  readonly #lifecycle: Lifecycle;
  readonly #names = new Set<string>();
  readonly #measuresProcess: boolean;

  constructor(options: ManagerOptions) {
    const { client, clock = systemClock, random = systemRandom, log = defaultLog, gracePeriodMs = 30_000 } = options;
    const metrics = options.metrics ?? new MetricsRegistry();
    const parts = { clock, random, log, metrics };
    this.#options = options;
    // Requests are counted in the manager's metrics, unless the client counts them already.
    this.client = client.isCounted ? client : client.with({ metrics });
    this.metrics = metrics;
    this.#measuresProcess = options.processMetrics ?? (options.metrics === undefined && clock === systemClock);
    this.#clock = clock;
    this.#log = log;
    this.#random = random;
    this.#events = options.events === "none" ? undefined : (options.events ?? newBroadcaster(this.client, parts));
    const { deliveryGate = options.informerOptions?.deliveryGate } = options;
    const informerOptions = { ...options.informerOptions, ...parts, deliveryGate };
    this.informers = options.informers ?? new SharedInformerFactory(this.client, informerOptions);
    this.metadata = options.metadata ?? new MetadataSharedInformerFactory(this.client, informerOptions);
    this.healthz = new HealthChecks({ clock });
    this.readyz = new HealthChecks({ clock });
    const { leaderElection } = options;
    const election = leaderElection && new ManagerElection(leaderElection, { ...parts, client: this.client });
    this.#election = election;
    this.#lifecycle = new Lifecycle({ clock, log, gracePeriodMs, election });
    const health = this.#healthRoutes();
    const numbers = metricsRoutes(metrics);
    this.handler = routed({ ...health, ...numbers });
    this.healthServer = this.#server("health", { ...health, ...(options.metricsServer ? {} : numbers) });
    this.metricsServer = this.#server("metrics", numbers);
    this.#addOwnParts();
  }

  get state(): ManagerState {
    return this.#lifecycle.state;
  }

  /** Whether leader-only runnables may run here; without an election, once everything has started. */
  get isLeader(): boolean {
    return this.#election === undefined ? this.state === "running" : this.#election.fencingToken !== undefined;
  }

  /** Distinguishes this leader's writes from those of the leaders before and after it; undefined while this replica does not lead. */
  get fencingToken(): number | undefined {
    return this.#election?.fencingToken;
  }

  /** Resolves when everything that does not need leadership has started. Rejects if the manager stops before that. */
  async whenStarted(signal: AbortSignal): Promise<void> {
    await this.#lifecycle.whenStarted(signal);
  }

  /** Resolves when this replica leads; without leader election, when the manager has started. */
  async whenElected(signal: AbortSignal): Promise<void> {
    await (this.#election ?? { whenElected: (each) => this.whenStarted(each) }).whenElected(signal);
  }

  /** The runnable starts with its group, or immediately if the group has started. Throws if the name is in use or the group has been stopped. */
  add(runnable: Runnable, placement: Placement = {}): Added {
    const { name } = runnable;
    if (this.#names.has(name)) throw misuse(`there is a runnable called ${name} already`);
    const placed = place(runnable, placement);
    const member = this.#lifecycle.add(placed);
    this.#names.add(name);
    const isChecked = runnable.findFault !== undefined || placed.onFailure === "report";
    const check = isChecked ? this.readyz.add(checkName(name), () => member.findFault()) : undefined;
    return {
      name,
      get state() {
        return member.state;
      },
      remove: async () => {
        await this.#lifecycle.remove(member);
        check?.[Symbol.dispose]();
        this.#names.delete(name);
      },
    };
  }

  /** Runs a controller with the manager's client, caches, events, metrics and log. The controller waits for caches that have not synced. */
  addController<M>(controller: Controller<M>, options: AddControllerOptions = {}): AddedController<M> {
    const { group, needsLeaderElection, onFailure, warmUp, ...rest } = options;
    const recorder = this.recorderFor(controller.name);
    const driver = new ControllerDriver<M>(controller, {
      client: this.client,
      informers: this.informers,
      metadata: this.metadata,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      metrics: this.metrics,
      tracer: this.#options.tracer,
      onSyncTimeout: controller.onSyncTimeout === "start" ? "start" : "wait",
      ...(recorder === undefined ? {} : { recordEvent: recordEventActions(recorder) }),
      ...rest,
    });
    const added = this.add(controllerRunnable(driver, defined({ group, needsLeaderElection, onFailure })));
    const isWarm = warmUp === true && this.#election !== undefined;
    const warm = isWarm ? this.add(warmUpRunnable(controller, this.informers, this.metadata)) : undefined;
    return {
      driver,
      name: added.name,
      get state() {
        return added.state;
      },
      remove: async () => {
        await Promise.all([added.remove(), warm?.remove()]);
      },
    };
  }

  /** Returns a recorder that records events with this component as their source; undefined if events are disabled. */
  recorderFor(component: string): EventRecorder | undefined {
    return this.#events?.newRecorder({ component });
  }

  /** Runs until the signal aborts, a runnable fails, or the lease is lost. Throws a ManagerError unless nothing failed and everything ended. */
  async run(signal: AbortSignal): Promise<void> {
    using _measuring = this.#measuresProcess ? openProcessMetrics(this.metrics) : undefined;
    await this.#lifecycle.run(signal);
  }

  /** Stops the manager, if it runs, and waits until it has ended. Failures are thrown by `run`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lifecycle.end(misuse("the manager has been disposed of"));
  }

  #addOwnParts(): void {
    const election = this.#election;
    if (election !== undefined) this.healthz.add("leaderElection", () => election.findFault());
    this.readyz.add("shutdown", () =>
      this.state === "stopping" || this.state === "ended" ? "process is shutting down" : undefined,
    );
    const events = this.#events;
    if (events !== undefined) this.add({ name: "events", group: "events", run: (signal) => events.run(signal) });
    for (const server of [this.healthServer, this.metricsServer]) if (server !== undefined) this.add(server);
    const { caches = {} } = this.#options;
    this.add(cachesRunnable([this.informers, this.metadata], { ...caches, clock: this.#clock, log: this.#log }));
  }

  #healthRoutes(): Routes {
    return {
      ...healthRoutes("healthz", this.healthz, this.#log),
      ...healthRoutes("livez", this.healthz, this.#log),
      ...healthRoutes("readyz", this.readyz, this.#log),
    };
  }

  #server(name: "health" | "metrics", routes: Routes): HttpServer | undefined {
    const where = this.#options[name === "health" ? "healthServer" : "metricsServer"];
    if (where === undefined) return undefined;
    return new HttpServer(name, routed(routes), { ...where, clock: this.#clock, log: this.#log });
  }
}

function newBroadcaster(client: Client, parts: EventBroadcasterOptions): EventBroadcaster {
  const broadcaster = new EventBroadcaster(parts);
  broadcaster.startRecordingToSink(coreEventSink(client));
  return broadcaster;
}

/** Returns the route for `/metrics` if the metrics have a `print` function. */
function metricsRoutes(metrics: NonNullable<ManagerOptions["metrics"]>): Routes {
  if (metrics.print === undefined) return {};
  return { "/metrics": metricsHandler({ print: () => metrics.print?.() ?? "" }) };
}

/** The placement passed to `add` overrides that of the runnable. */
function place(runnable: Runnable, placement: Placement): Runnable {
  const { name, group, needsLeaderElection, onFailure } = runnable;
  return {
    ...defined({ group, needsLeaderElection, onFailure }),
    ...placement,
    name,
    run: (signal) => runnable.run(signal),
    whenReady: async (signal) => await runnable.whenReady?.(signal),
    findFault: () => runnable.findFault?.(),
  };
}

function defined(placement: { readonly [K in keyof Placement]: Placement[K] | undefined }): Placement {
  return Object.fromEntries(Object.entries(placement).filter(([, value]) => value !== undefined));
}

/** The name of a check is part of a URL path, so other characters are replaced. */
function checkName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._:-]+/g, "-");
}

function misuse(message: string): KubeloopError {
  return new KubeloopError(message, { reason: "Invalid", retry: "never" });
}
