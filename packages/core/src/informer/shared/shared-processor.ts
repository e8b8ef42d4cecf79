// Distributes notifications of the cache to all handlers, each at its own pace.
//
// Promises: all handlers get the same notification values, in the same order. Handlers can be added and removed while it runs. A slow handler
// does not delay others (each gets a turn of a few callbacks, and the loop yields to the event loop after a few milliseconds). A notification
// without a change goes only to handlers whose resync is due. When it ends, no callback is running.
// Not promised: that all handlers have received the same number of notifications.
import type { KubernetesObject } from "../../api/index.ts";
import { type Clock, deferred, KubeloopError, onAbort, RingBuffer, YieldBudget } from "../../base/index.ts";
import type { EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { isUnchanged } from "../handler/is-unchanged.ts";
import type { KeyFunction } from "../store/store.ts";
import { releaseContexts } from "./callback-context.ts";
import type { DeliveryGate } from "./delivery-gate.ts";
import { ProcessorListener } from "./processor-listener.ts";
import type { ResourceEventHandlerRegistration } from "./registration.ts";

export interface SharedProcessorOptions<T> {
  readonly clock: Clock;
  readonly keyOf: KeyFunction<T>;
  /** How many objects the cache has and the processor has not distributed, for a handler that has joined or not. Default: 0. */
  readonly unreported?: (hasJoined: boolean) => number;
  /** While it is closed, no callback begins. Default: always open. */
  readonly deliveryGate?: DeliveryGate | undefined;
  /** A callback threw or rejected. Must not throw. */
  readonly onHandlerFailure: (error: unknown, notification: Notification<T>, handlerName: string) => void;
}

export interface ListenerOptions {
  readonly name: string;
  /** The resync period; 0 for never. */
  readonly resyncMs: number;
  readonly maxQueued?: number | undefined;
}

/** The cached objects when a handler joins. */
export interface Snapshot<T> {
  readonly objects: readonly T[];
  /** All of the first list is included. */
  readonly isComplete: boolean;
}

interface Subscription<T> {
  readonly listener: ProcessorListener<T>;
  hasJoined: boolean;
  readonly resyncMs: number;
  nextResyncMs: number;
  /** The handler's resync is due, so it also gets notifications without a change. */
  isDue: boolean;
}

const callbacksPerTurn = 64;

const initialDetails: EventDetails = Object.freeze({ cause: "initial", isInInitialList: true });

export class SharedProcessor<T extends KubernetesObject> {
  readonly #options: SharedProcessorOptions<T>;
  #subscriptions: readonly Subscription<T>[] = [];
  /** All registrations, including removed ones, to tell them from registrations of other informers. */
  readonly #byRegistration = new WeakMap<ResourceEventHandlerRegistration, Subscription<T>>();
  readonly #ready = new RingBuffer<ProcessorListener<T>>();
  #wake: (() => void) | undefined;
  #hasRepeated = false;
  /** Handlers removed during a callback that is still running and has to be awaited. */
  #leaving: readonly ProcessorListener<T>[] = [];

  constructor(options: SharedProcessorOptions<T>) {
    this.#options = options;
  }

  /** The number of handlers. */
  get size(): number {
    return this.#subscriptions.length;
  }

  /** The handler receives nothing before `join`. */
  register(handler: ResourceEventHandler<T>, options: ListenerOptions): ResourceEventHandlerRegistration {
    const { clock, keyOf, onHandlerFailure } = this.#options;
    const { name, resyncMs, maxQueued } = options;
    const listener = new ProcessorListener(handler, {
      name,
      maxQueued,
      keyOf,
      onReady: (ready) => this.#takeTurn(ready),
      onFailure: (error, notification) => onHandlerFailure(error, notification, name),
    });
    const nextResyncMs = clock.monotonic() + resyncMs;
    const subscription = { listener, hasJoined: false, resyncMs, nextResyncMs, isDue: false };
    const registration = this.#registrationOf(subscription, options);
    this.#subscriptions = [...this.#subscriptions, subscription];
    this.#byRegistration.set(registration, subscription);
    return registration;
  }

  /** The handler receives the snapshot, as adds of an initial list, and then everything else. Does nothing if it was removed. */
  join(registration: ResourceEventHandlerRegistration, snapshot: Snapshot<T>): void {
    const subscription = this.#find(registration);
    subscription.hasJoined = true;
    subscription.listener.addAll(snapshot.objects, initialDetails);
    if (snapshot.isComplete) subscription.listener.upstreamHasSynced();
  }

  has(registration: ResourceEventHandlerRegistration): boolean {
    const subscription = this.#byRegistration.get(registration);
    return subscription !== undefined && this.#subscriptions.includes(subscription);
  }

  /** A second call does nothing. Throws for a registration of another informer. */
  remove(registration: ResourceEventHandlerRegistration): void {
    const removed = this.#find(registration);
    this.#subscriptions = this.#subscriptions.filter((subscription) => subscription !== removed);
    removed.listener.remove(leftUnsynced(registration.name, "was removed"));
    this.#leaving = [...this.#leaving, removed.listener].filter(({ isCalling }) => isCalling);
  }

  /** Removes the handler and resolves when its last callback has ended; immediately if called from inside that callback. */
  async shutDown(registration: ResourceEventHandlerRegistration): Promise<void> {
    this.remove(registration);
    await this.#find(registration).listener.whenQuiet();
  }

  /** All of the first list has been distributed. */
  upstreamHasSynced(): void {
    for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.upstreamHasSynced();
  }

  distribute(notification: Notification<T>): void {
    if (isUnchanged(notification)) {
      this.#hasRepeated ||= notification.details.cause === "resync";
      for (const { listener, hasJoined, isDue } of this.#subscriptions) {
        if (hasJoined && isDue) listener.add(notification);
      }
    } else {
      for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.add(notification);
    }
  }

  /** Distributes adds of a list of objects that are all new. */
  distributeAdds(objects: readonly T[], details: EventDetails): void {
    for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.addAll(objects, details);
  }

  /** Marks handlers whose resync is due; returns whether there are any. Until `resyncEnded` they also get unchanged objects. */
  shouldResync(): boolean {
    const nowMs = this.#options.clock.monotonic();
    let isNeeded = false;
    for (const subscription of this.#subscriptions) {
      if (subscription.resyncMs === 0 || nowMs < subscription.nextResyncMs) continue;
      subscription.nextResyncMs = nowMs + subscription.resyncMs;
      subscription.isDue = true;
      isNeeded = true;
    }
    return isNeeded;
  }

  /**
   * No notification of a resync is still on its way. If any was distributed since the last call, the due handlers have all of them and
   * are no longer due; otherwise their resync is still to come.
   */
  resyncEnded(): void {
    if (!this.#hasRepeated) return;
    this.#hasRepeated = false;
    for (const subscription of this.#subscriptions) subscription.isDue = false;
  }

  /** Calls handlers until the signal aborts; then drops waiting notifications, and ends when no callback is running. */
  async run(signal: AbortSignal): Promise<void> {
    // Reading a field after each callback costs less than reading a signal.
    let isOver = false;
    using _wakeUp = onAbort(signal, () => {
      isOver = true;
      this.#wake?.();
    });
    const { clock, deliveryGate } = this.#options;
    const budget = new YieldBudget(clock);
    const isTurnOver = () => isOver || budget.isUsedUp();
    while (!signal.aborted) {
      if (this.#ready.size === 0) await budget.pause(this.#nextReady());
      else if (deliveryGate?.isOpen === false) await budget.pause(openOrAborted(deliveryGate, signal));
      else if (!this.#deliver(isTurnOver)) await budget.yield();
    }
    await this.#stop();
  }

  /** Returns whether all ready handlers had their turn before the yield budget was used up. */
  #deliver(isTurnOver: () => boolean): boolean {
    try {
      for (let next = this.#ready.shift(); next !== undefined; next = this.#ready.shift()) {
        if (!next.deliver(callbacksPerTurn, isTurnOver)) return false;
      }
      return true;
    } finally {
      releaseContexts();
    }
  }

  #takeTurn(listener: ProcessorListener<T>): void {
    this.#ready.push(listener);
    this.#wake?.();
  }

  async #nextReady(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  async #stop(): Promise<void> {
    const stopped = this.#subscriptions.map(({ listener }) => listener);
    this.#subscriptions = [];
    this.#ready.clear();
    for (const listener of stopped) listener.remove(leftUnsynced(listener.name, "stopped with its informer"));
    await Promise.all([...stopped, ...this.#leaving].map((listener) => listener.whenQuiet()));
  }

  #find(registration: ResourceEventHandlerRegistration): Subscription<T> {
    const subscription = this.#byRegistration.get(registration);
    if (subscription !== undefined) return subscription;
    throw new KubeloopError(`handler "${registration.name}" is not registered with this informer`, {
      reason: "ForeignRegistration",
      retry: "never",
    });
  }

  #registrationOf(subscription: Subscription<T>, options: ListenerOptions): ResourceEventHandlerRegistration {
    const { listener } = subscription;
    const { unreported = () => 0 } = this.#options;
    const registration: ResourceEventHandlerRegistration = {
      name: options.name,
      resyncMs: options.resyncMs,
      get pending() {
        return listener.isRemoved ? 0 : listener.pending + unreported(subscription.hasJoined);
      },
      hasSynced: () => listener.synced.isOpen,
      whenSynced: (signal) => listener.synced.wait(signal),
      remove: () => this.remove(registration),
      [Symbol.dispose]: () => this.remove(registration),
    };
    return registration;
  }
}

async function openOrAborted(gate: DeliveryGate, signal: AbortSignal): Promise<void> {
  const aborted = deferred();
  using _aborted = onAbort(signal, () => aborted.resolve());
  await Promise.race([gate.whenOpen(), aborted.promise]);
}

function leftUnsynced(name: string, what: string): KubeloopError {
  return new KubeloopError(`handler "${name}" ${what} before it had synced`, { reason: "Removed", retry: "never" });
}
