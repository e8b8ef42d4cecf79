// Everything that adds keys to a controller's queues: its watches, the watches that discovery adds, and its own sources. This class starts
// them, waits until all have synced, and reports which have not and why.
import type { Resource } from "../api/index.ts";
import { isAborted, type TaskScope, timeoutSignal } from "../base/index.ts";
import { type Controller, isGroupKnown, type Wake } from "../contract/index.ts";
import { type Syncing, waitFor } from "../informer/index.ts";
import type { ControllerCaches } from "./controller-caches.ts";
import type { DriverSettings } from "./driver-options.ts";
import { FollowedDiscovery } from "./followed-discovery.ts";
import { FollowedSource } from "./followed-source.ts";
import { type UnsyncedSource, WatchSources } from "./watch-sources.ts";
import type { ChangeListener } from "./watched-informer.ts";

export interface ControllerSourcesParts {
  readonly controller: Controller<never>;
  readonly caches: ControllerCaches;
  readonly settings: DriverSettings;
  /** Called when the watches could not be updated from discovery, or when a watch it added has not synced by the next update. */
  readonly discoveryFailed: () => void;
  readonly listener: ChangeListener & { woken(wake: Wake, source: { readonly isInitial: boolean }): void };
}

export class ControllerSources {
  readonly #parts: ControllerSourcesParts;
  readonly #watched: WatchSources;
  readonly #own: readonly FollowedSource[];

  constructor(parts: ControllerSourcesParts) {
    const { controller, caches, settings, listener } = parts;
    const { name, indexes, sources } = controller;
    this.#parts = parts;
    this.#watched = new WatchSources(settings, { controller: name, caches, indexes, listener });
    const tools = { ...settings, wake: listener.woken };
    this.#own = sources.map((source) => new FollowedSource(source, tools));
  }

  #discovery: FollowedDiscovery | undefined;
  #hasOpened = false;

  /** Returns the sources that do not show the current state, because they have not synced or have failed. */
  unsynced(): readonly UnsyncedSource[] {
    const others = [...(this.#discovery === undefined ? [] : [this.#discovery]), ...this.#own];
    return [...this.#watched.unsynced(), ...others.flatMap((source) => source.unsynced())];
  }

  /** Opens the watches, and runs discovery and the controller's own sources as tasks of the scope. */
  async start(scope: TaskScope): Promise<void> {
    const { controller, settings } = this.#parts;
    for (const source of this.#own) void scope.spawn((signal) => source.run(signal));
    if (!controller.followsDiscovery) return await this.#follow(scope, scope.signal);
    const { clock, log, discoveryMs: everyMs } = settings;
    const discovery = new FollowedDiscovery({
      clock,
      log,
      everyMs,
      follow: (signal) => this.#followAgain(scope, signal),
    });
    this.#discovery = discovery;
    void scope.spawn((signal) => discovery.run(signal));
  }

  /** Waits until all sources have reported their initial state. After `syncTimeoutMs`, `onSyncTimeout` decides what happens. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    const { controller, settings } = this.#parts;
    const { syncTimeoutMs, log, onSyncTimeout = controller.onSyncTimeout } = settings;
    const clock = settings.clock.labelled({ kind: "background", name: `caches of ${controller.name}` });
    for (;;) {
      using limit = timeoutSignal(signal, syncTimeoutMs, { clock, what: `syncing the caches of ${controller.name}` });
      const result = await this.#waitOnce(limit.signal);
      signal.throwIfAborted();
      const error = result.asError(controller.name);
      if (error === undefined) return log.info("Caches are synced");
      // Without a timeout, the wait failed because a source was stopped: it will never sync.
      if (onSyncTimeout === "fail" || !limit.signal.aborted) throw error;
      if (onSyncTimeout === "start") {
        log.warn("starting workers although not all caches have synced", { error });
        return;
      }
      log.error("still waiting for caches to sync", { error });
    }
  }

  async close(): Promise<void> {
    await this.#watched.close();
  }

  async #waitOnce(signal: AbortSignal) {
    // The watches are known only after discovery has answered.
    const first: readonly Syncing[] = this.#discovery === undefined ? this.#own : [this.#discovery, ...this.#own];
    const before = await waitFor(first, {}, signal);
    return before.isSynced ? await waitFor(this.#watched.syncing, {}, signal) : before;
  }

  async #followAgain(scope: TaskScope, signal: AbortSignal): Promise<void> {
    const { discoveryFailed } = this.#parts;
    if (this.#hasOpened && this.#watched.syncing.some((source) => !source.hasSynced())) discoveryFailed();
    this.#hasOpened = false;
    try {
      await this.#follow(scope, signal);
    } catch (error) {
      if (!isAborted(error, signal)) discoveryFailed();
      throw error;
    }
  }

  async #follow(scope: TaskScope, signal: AbortSignal): Promise<void> {
    const { controller, caches, settings } = this.#parts;
    const served = controller.followsDiscovery ? await settings.informerClient.discovery.refresh(signal) : undefined;
    caches.served = served;
    const isKept = (resource: Resource) => served !== undefined && !isGroupKnown(served, resource.apiVersion);
    this.#hasOpened = await this.#watched.follow(controller.watchesFor(served), { isKept, scope });
  }
}
