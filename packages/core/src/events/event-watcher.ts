// Calls one listener with every event, in order, one at a time, without delaying the recorder. Events that the listener has not
// received yet wait in a queue of `queueSize`; when it is full, new events are dropped and counted. If the listener throws, that is
// logged, and it gets the next event.
import {
  Channel,
  type Clock,
  isAborted,
  type Log,
  onAbort,
  timeoutSignal,
  toError,
  untilAborted,
} from "../base/index.ts";
import type { EventObserver } from "./event-metrics.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import type { Subscriber } from "./sink-subscriber.ts";

export type EventListener = (event: RecordedEvent) => void | Promise<void>;

export interface EventWatcherOptions {
  readonly queueSize: number;
  /** How long the listener may take for the queued events after `run` is aborted. */
  readonly flushMs: number;
  readonly observer: EventObserver;
  readonly clock: Clock;
  readonly log: Log;
}

export class EventWatcher implements Subscriber {
  readonly #listener: EventListener;
  readonly #options: EventWatcherOptions;
  readonly #events: Channel<RecordedEvent>;

  constructor(listener: EventListener, options: EventWatcherOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#events = new Channel(options.queueSize);
  }

  take(event: RecordedEvent): void {
    if (!this.#events.trySend(event)) this.#options.observer.dropped(this.#events.isClosed ? "stopped" : "full");
    this.#options.observer.pending(this.#events.size);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, flushMs } = this.#options;
    const cut = new AbortController();
    const delivering = this.#tellAll(cut.signal);
    await untilAborted(delivering, signal).catch(() => {});
    this.#events.close();
    using limited = timeoutSignal(new AbortController().signal, flushMs, { clock, what: "delivering the last events" });
    using _ = onAbort(limited.signal, (reason) => cut.abort(reason));
    await delivering;
  }

  async #tellAll(signal: AbortSignal): Promise<void> {
    const { observer, log } = this.#options;
    try {
      for (;;) {
        const next = await this.#events.receive(signal);
        if (next === undefined) return;
        observer.pending(this.#events.size);
        await this.#tell(next.value, signal);
      }
    } catch (error) {
      if (!isAborted(error, signal)) throw error;
      for (let left = this.#events.size; left > 0; left--) observer.dropped("stopped");
      log.warn("event watcher was stopped before it received all events", { count: this.#events.size });
    }
  }

  async #tell(event: RecordedEvent, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(Promise.resolve(this.#listener(event)), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#options.log.error("event watcher threw an error", { error: toError(error) });
    }
  }
}

/** A listener that logs one line per event. */
export function logListener(log: Log): EventListener {
  return ({ regarding, related, type, reason, action, note, source }) => {
    const { namespace = "", name = "", kind, apiVersion, fieldPath } = regarding;
    const object = namespace === "" ? name : `${namespace}/${name}`;
    log.info("event occurred", {
      object,
      ...(fieldPath === undefined ? {} : { fieldPath }),
      kind,
      apiVersion,
      type,
      reason,
      ...(action === undefined ? {} : { action }),
      ...(related === undefined ? {} : { related: `${related.kind} ${related.name}` }),
      note,
      component: source.component,
    });
  };
}
