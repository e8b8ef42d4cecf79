// Tells every handler what happened to the cache, each at its own pace.
//
// Promises: all get the same notification values, in the same order; handlers come and go while it runs; a slow one holds up
// no other (they take turns of a few callbacks, and the event loop gets its turn after a few milliseconds); what only repeats
// what is known goes to those who asked to be told again and are due, and to nobody else. When it ends, no callback runs.
// Not promised: that handlers are equally far.
import type { KubernetesObject } from "../../api/index.ts";
import { type Clock, KubeloopError, onAbort, RingBuffer, YieldBudget } from "../../base/index.ts";
import type { EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import { repeatsTheKnown } from "../handler/repeats-the-known.ts";
import type { KeyFunction } from "../store/store.ts";
import { ProcessorListener } from "./processor-listener.ts";
import type { ResourceEventHandlerRegistration } from "./registration.ts";

export interface SharedProcessorOptions<T> {
  readonly clock: Clock;
  readonly keyOf: KeyFunction<T>;
  /** How much of what the cache has is still to be distributed, to a handler that has joined or has not. Nothing unless given. */
  readonly unreported?: (hasJoined: boolean) => number;
  /** A callback threw or rejected. Must not throw. */
  readonly onHandlerFailure: (error: unknown, notification: Notification<T>, handlerName: string) => void;
}

export interface ListenerOptions {
  readonly name: string;
  /** How often it is told again; 0 for never. */
  readonly resyncMs: number;
  readonly maxQueued?: number | undefined;
}

/** What there is when a handler joins. */
export interface Snapshot<T> {
  readonly objects: readonly T[];
  /** Nothing more of the first list is to come. */
  readonly isComplete: boolean;
}

interface Subscription<T> {
  readonly listener: ProcessorListener<T>;
  hasJoined: boolean;
  readonly resyncMs: number;
  nextResyncMs: number;
  /** What only repeats the known is for this one, too. */
  isDue: boolean;
}

const callbacksPerTurn = 64;

const initialDetails: EventDetails = Object.freeze({ cause: "initial", isInInitialList: true });

export class SharedProcessor<T extends KubernetesObject> {
  readonly #options: SharedProcessorOptions<T>;
  #subscriptions: readonly Subscription<T>[] = [];
  /** Those that have left, too: to tell them from strangers. */
  readonly #byRegistration = new WeakMap<ResourceEventHandlerRegistration, Subscription<T>>();
  readonly #ready = new RingBuffer<ProcessorListener<T>>();
  #wake: (() => void) | undefined;
  #hasRepeated = false;
  /** Removed in the middle of a callback, which is still to be waited for. */
  #leaving: readonly ProcessorListener<T>[] = [];

  constructor(options: SharedProcessorOptions<T>) {
    this.#options = options;
  }

  /** How many handlers there are. */
  get size(): number {
    return this.#subscriptions.length;
  }

  /** It hears nothing before it joins. */
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

  /** From now on it hears everything; the snapshot first, as adds of an initial list. Nothing if it has left already. */
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

  /** A second time it does nothing. Throws for a registration with someone else. */
  remove(registration: ResourceEventHandlerRegistration): void {
    const removed = this.#find(registration);
    this.#subscriptions = this.#subscriptions.filter((subscription) => subscription !== removed);
    removed.listener.remove(leftUnsynced(registration.name, "was removed"));
    this.#leaving = [...this.#leaving, removed.listener].filter(({ isCalling }) => isCalling);
  }

  /** Removes it, and resolves when its last callback has ended; at once when called from inside that callback. */
  async shutDown(registration: ResourceEventHandlerRegistration): Promise<void> {
    this.remove(registration);
    await this.#find(registration).listener.whenQuiet();
  }

  /** All of the first list has been distributed. */
  upstreamHasSynced(): void {
    for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.upstreamHasSynced();
  }

  distribute(notification: Notification<T>): void {
    if (repeatsTheKnown(notification)) {
      this.#hasRepeated ||= notification.details.cause === "resync";
      for (const { listener, hasJoined, isDue } of this.#subscriptions) {
        if (hasJoined && isDue) listener.add(notification);
      }
    } else {
      for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.add(notification);
    }
  }

  /** Adds of a list, all of them news. */
  distributeAdds(objects: readonly T[], details: EventDetails): void {
    for (const { listener, hasJoined } of this.#subscriptions) if (hasJoined) listener.addAll(objects, details);
  }

  /** Whether anyone has become due to be told again; until `resyncEnded` those are told what others are not. */
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

  /** Nothing of a resync is on its way any more: if one has come, everyone who was due has been told. */
  resyncEnded(): void {
    if (!this.#hasRepeated) return;
    this.#hasRepeated = false;
    for (const subscription of this.#subscriptions) subscription.isDue = false;
  }

  /** Calls handlers until the signal aborts; then drops what waits, and ends when no callback runs. */
  async run(signal: AbortSignal): Promise<void> {
    // A field costs less to look at, after each callback, than a signal.
    let isOver = false;
    using _wakeUp = onAbort(signal, () => {
      isOver = true;
      this.#wake?.();
    });
    const budget = new YieldBudget(this.#options.clock);
    const isTurnOver = () => isOver || budget.isUsedUp();
    while (!signal.aborted) {
      if (this.#ready.size === 0) await budget.pause(this.#nextReady());
      else if (!this.#deliver(isTurnOver)) await budget.yield();
    }
    await this.#stop();
  }

  /** Whether all who were ready had their turn before the time was up. */
  #deliver(isTurnOver: () => boolean): boolean {
    for (let next = this.#ready.shift(); next !== undefined; next = this.#ready.shift()) {
      if (!next.deliver(callbacksPerTurn, isTurnOver)) return false;
    }
    return true;
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

function leftUnsynced(name: string, what: string): KubeloopError {
  return new KubeloopError(`handler "${name}" ${what} before it had synced`, { reason: "Removed", retry: "never" });
}
