// One handler and its queue of notifications.
//
// Promises: the handler is called strictly sequentially, in the order of the notifications. A promise that it returns is
// awaited before the next call, and without one nothing is awaited. A callback that throws or rejects is reported, counts as
// done, and the next one follows. The queue releases its memory as it empties. A removed handler is not called again.
// Not promised: when it is called. The processor decides which handler is next.
import { RingBuffer } from "../../base/index.ts";
import { callHandler } from "../handler/call-handler.ts";
import type { EventDetails, Notification, ResourceEventHandler } from "../handler/handlers.ts";
import type { KeyFunction } from "../store/store.ts";
import { SyncGate } from "../wait/sync-gate.ts";
import { SingleFileTracker } from "../wait/sync-tracker.ts";
import { CallbackContext, keepContexts } from "./callback-context.ts";
import { CoalescingQueue } from "./coalescing-queue.ts";
import { keyOfNotification } from "./notification-key.ts";

export interface ProcessorListenerOptions<T> {
  readonly name: string;
  readonly keyOf: KeyFunction<T>;
  /** Once this many wait, further notifications are merged per object. Without it, the queue of a slow handler grows without limit. */
  readonly maxQueued?: number | undefined;
  /** Called when there are notifications and no callback is running, so that the processor schedules this handler. */
  readonly onReady: (listener: ProcessorListener<T>) => void;
  readonly onFailure: (error: unknown, notification: Notification<T>, listener: ProcessorListener<T>) => void;
}

type Activity = "idle" | "ready" | "calling" | "removed";

export class ProcessorListener<T> {
  readonly name: string;
  /** Open after the handler has processed everything that existed when it was added. */
  readonly synced = new SyncGate();
  readonly #handler: ResourceEventHandler<T>;
  readonly #options: ProcessorListenerOptions<T>;
  readonly #queue: RingBuffer<Notification<T>> | CoalescingQueue<T>;
  /** Adds that come before the queue. Their notifications are created only when they are sent. */
  #added: readonly T[] = [];
  #addedDetails: EventDetails | undefined;
  #addedTold = 0;
  #activity: Activity = "idle";
  #isInCall = false;
  #running: Promise<void> | undefined;
  /** The context of the running callback. */
  #context: CallbackContext | undefined;
  readonly #initial = new SingleFileTracker();

  constructor(handler: ResourceEventHandler<T>, options: ProcessorListenerOptions<T>) {
    this.name = options.name;
    this.#handler = handler;
    this.#options = options;
    const { maxQueued, keyOf } = options;
    this.#queue =
      maxQueued === undefined
        ? new RingBuffer()
        : new CoalescingQueue({
            maxQueued,
            keyOf: (notification) => keyOfNotification(notification, keyOf),
            onInitialDropped: (count) => this.#initial.finished(count),
          });
    this.#initial.onSynced(() => this.synced.open());
  }

  /** The number of waiting notifications. */
  get pending(): number {
    return this.#added.length - this.#addedTold + this.#queue.size;
  }

  get isRemoved(): boolean {
    return this.#activity === "removed";
  }

  /** Whether a callback is running. */
  get isCalling(): boolean {
    return this.#running !== undefined || this.#isInCall;
  }

  /** Queues adds of all objects: those that existed when the handler was added, or the first list. The array is kept, not copied. */
  addAll(objects: readonly T[], details: EventDetails): void {
    if (this.#activity === "removed" || objects.length === 0) return;
    if (this.pending > 0) {
      for (const object of objects) this.add({ type: "add", object, details });
      return;
    }
    this.#added = objects;
    this.#addedDetails = details;
    if (details.isInInitialList) this.#initial.start(objects.length);
    if (this.#activity === "idle") this.#becomeReady();
  }

  add(notification: Notification<T>): void {
    if (this.#activity === "removed") return;
    if (notification.details.isInInitialList) this.#initial.start();
    this.#queue.push(notification);
    if (this.#activity === "idle") this.#becomeReady();
  }

  /** All objects of the first list were passed to `add`. */
  upstreamHasSynced(): void {
    this.#initial.upstreamHasSynced();
  }

  /**
   * Makes at most `limit` callbacks and requests another turn if there are more. Returns whether time is left for other handlers. The caller
   * calls `releaseContexts` when all handlers had their turn: switching contexts on and off costs more than a callback.
   */
  deliver(limit: number, isTimeUp: () => boolean): boolean {
    let isInTime = true;
    for (let left = limit; left > 0 && isInTime; left--) {
      if (this.#activity !== "ready") return true;
      const next = this.#nextAdded() ?? this.#queue.shift();
      if (next === undefined) {
        this.#activity = "idle";
        return true;
      }
      this.#call(next);
      isInTime = !isTimeUp();
    }
    if (this.#activity === "ready") this.#becomeReady();
    return isInTime;
  }

  /** Drops waiting notifications. A running callback continues. */
  remove(reason: unknown): void {
    this.#activity = "removed";
    this.#added = [];
    this.#addedTold = 0;
    this.#queue.clear();
    this.synced.fail(reason);
  }

  /** Resolves when no callback is running; immediately if called from a callback of this handler. */
  async whenQuiet(): Promise<void> {
    if (this.#running === undefined || this.#isInCall || this.#context?.isAround()) return;
    await this.#running;
  }

  #call(next: Notification<T>): void {
    this.#isInCall = true;
    const context = new CallbackContext();
    try {
      const answer = context.run(callHandler<T>, this.#handler, next);
      // Not `instanceof Promise`: a promise of another realm is awaited too.
      if (typeof answer?.then === "function") {
        if (this.#activity === "ready") this.#activity = "calling";
        keepContexts();
        this.#running = this.#finishLater(answer, next, context);
        return;
      }
    } catch (error) {
      this.#options.onFailure(error, next, this);
    } finally {
      this.#isInCall = false;
    }
    if (next.details.isInInitialList) this.#initial.finished();
  }

  async #finishLater(answer: PromiseLike<void>, next: Notification<T>, context: CallbackContext): Promise<void> {
    this.#context = context;
    try {
      await answer;
    } catch (error) {
      this.#options.onFailure(error, next, this);
    }
    this.#running = undefined;
    this.#context = undefined;
    if (next.details.isInInitialList) this.#initial.finished();
    if (this.#activity !== "calling") return;
    this.#activity = "idle";
    if (this.pending > 0) this.#becomeReady();
  }

  #nextAdded(): Notification<T> | undefined {
    const details = this.#addedDetails;
    if (this.#added.length === 0 || details === undefined) return undefined;
    const object = this.#added[this.#addedTold++] as T;
    if (this.#addedTold === this.#added.length) {
      this.#added = [];
      this.#addedTold = 0;
    }
    return { type: "add", object, details };
  }

  #becomeReady(): void {
    this.#activity = "ready";
    this.#options.onReady(this);
  }
}
