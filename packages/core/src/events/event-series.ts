// Counts events of events.k8s.io/v1 in series. No clock, no server: events and times go in, writes come out.
//
// - The first event with a key is written as it is. The second starts a series, which is written. Further events only increase the count
//   here, and the count is written from time to time, so that the server does not expire the event.
// - A series ends after a time without events: the last count is written. The next event with its key is a first one again.
// - At most `cacheSize` keys are kept; above that the series without events for the longest time ends early.
import { type eventsv1, printMicroTime } from "../api/index.ts";
import { KeyedHeap } from "../base/index.ts";
import type { EventWrite } from "./event-write.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { seriesKey, toSeriesEvent } from "./series-event.ts";

export interface SeriesPolicy {
  /** A series ends after this long without an event. Default: six minutes. */
  readonly finishMs: number;
  /** The longest time between an increase of the count and its write. Default: 30 minutes. */
  readonly refreshMs: number;
  /** How many keys of events are kept. Default: 4096. */
  readonly cacheSize: number;
}

export const defaultSeriesPolicy: SeriesPolicy = { finishMs: 360_000, refreshMs: 1_800_000, cacheSize: 4096 };

type Write = EventWrite<eventsv1.Event>;

interface Series {
  readonly key: string;
  readonly event: eventsv1.Event;
  readonly count: number;
  /** Wall time of the last event, for people. */
  readonly lastAtMs: number;
  /** Monotonic. */
  readonly lastMs: number;
  /** The count in the last write. */
  readonly writtenCount: number;
}

interface Unwritten {
  readonly key: string;
  readonly sinceMs: number;
}

export interface EventSeriesOptions {
  readonly hostName: string;
  readonly policy?: Partial<SeriesPolicy> | undefined;
}

export class EventSeries {
  readonly #policy: SeriesPolicy;
  readonly #hostName: string;
  /** The series without events for the longest time comes first. */
  readonly #series = new KeyedHeap<string, Series>({ keyOf: ({ key }) => key, compare: (a, b) => a.lastMs - b.lastMs });
  /** The series with a count that is not written yet, and since when; the oldest first. */
  readonly #unwritten = new KeyedHeap<string, Unwritten>({
    keyOf: ({ key }) => key,
    compare: (a, b) => a.sinceMs - b.sinceMs,
  });

  constructor({ hostName, policy = {} }: EventSeriesOptions) {
    this.#hostName = hostName;
    this.#policy = { ...defaultSeriesPolicy, ...policy };
  }

  get size(): number {
    return this.#series.size;
  }

  /** `nowMs` is monotonic. */
  observe(recorded: RecordedEvent, nowMs: number): readonly Write[] {
    const ended = this.sweep(nowMs);
    const event = toSeriesEvent(recorded, this.#hostName);
    return [...ended, ...this.#add(seriesKey(event), { event, atMs: recorded.atMs, nowMs }), ...this.#makeRoom()];
  }

  /** Returns the writes that are due: ended series, and counts that were not written for `refreshMs`. */
  sweep(nowMs: number): readonly Write[] {
    const writes: Write[] = [];
    for (let first = this.#series.peek(); first && this.#endMs(first) <= nowMs; first = this.#series.peek())
      writes.push(...this.#finish(first.key));
    const { refreshMs } = this.#policy;
    for (
      let first = this.#unwritten.peek();
      first && first.sinceMs + refreshMs <= nowMs;
      first = this.#unwritten.peek()
    )
      writes.push(...this.#writeCount(first.key));
    return writes;
  }

  /**
   * Returns when to call `sweep` next. No event observed until then is due earlier, so the caller can sleep until then.
   */
  nextDueMs(nowMs: number): number {
    const { finishMs, refreshMs } = this.#policy;
    const oldest = this.#series.peek();
    const endMs = oldest === undefined ? nowMs + finishMs : this.#endMs(oldest);
    return Math.min(endMs, (this.#unwritten.peek()?.sinceMs ?? nowMs) + refreshMs);
  }

  /** Ends all series. Returns the writes of counts that were not written yet. */
  finishAll(): readonly Write[] {
    return this.sweep(Number.POSITIVE_INFINITY);
  }

  /** Remembers that the event of this key now has another name. */
  rename(key: string, name: string): void {
    const series = this.#series.get(key);
    if (series === undefined) return;
    const { event } = series;
    this.#series.set({ ...series, event: { ...event, metadata: { ...event.metadata, name } } });
  }

  #add(
    key: string,
    { event, atMs, nowMs }: { readonly event: eventsv1.Event; readonly atMs: number; readonly nowMs: number },
  ): readonly Write[] {
    const seen = { lastAtMs: atMs, lastMs: nowMs };
    const before = this.#series.get(key);
    if (before === undefined) {
      this.#series.set({ key, event, count: 1, ...seen, writtenCount: 1 });
      return [{ key, event, isRepeat: false }];
    }
    this.#series.set({ ...before, ...seen, count: before.count + 1 });
    if (before.count === 1) return this.#writeCount(key);
    if (!this.#unwritten.has(key)) this.#unwritten.set({ key, sinceMs: nowMs });
    return [];
  }

  #writeCount(key: string): readonly Write[] {
    const series = this.#series.get(key);
    this.#unwritten.remove(key);
    if (series === undefined || series.count === series.writtenCount) return [];
    this.#series.set({ ...series, writtenCount: series.count });
    return [{ key, event: withSeries(series), isRepeat: true }];
  }

  #finish(key: string): readonly Write[] {
    const writes = this.#writeCount(key);
    this.#series.remove(key);
    return writes;
  }

  #makeRoom(): readonly Write[] {
    if (this.#series.size <= this.#policy.cacheSize) return [];
    const oldest = this.#series.peek();
    return oldest === undefined ? [] : this.#finish(oldest.key);
  }

  #endMs({ lastMs }: Series): number {
    return lastMs + this.#policy.finishMs;
  }
}

function withSeries({ event, count, lastAtMs }: Series): eventsv1.Event {
  return { ...event, series: { count, lastObservedTime: printMicroTime(lastAtMs) } };
}
