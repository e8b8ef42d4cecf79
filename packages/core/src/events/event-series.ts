// Counts events of events.k8s.io/v1 in series. No clock, no server: events and times go in, writes come out.
//
// - The first of its kind is written as it is. The second makes a series of it, which is written. From then on repeats only count
//   here, and the count is written now and again, so that the server does not forget the event.
// - A series ends after a silence: the last count is written. What happens afterwards begins anew.
// - It remembers so many kinds; beyond that the one that was silent longest ends early.
import { type eventsv1, printMicroTime } from "../api/index.ts";
import type { EventWrite } from "./event-write.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { seriesKey, toSeriesEvent } from "./series-event.ts";

export interface SeriesPolicy {
  /** A series ends when it has been silent for as long as this. Six minutes unless given. */
  readonly finishMs: number;
  /** How long a count may go unwritten. Half an hour unless given. */
  readonly refreshMs: number;
  /** How many kinds of event are remembered. 4096 unless given. */
  readonly cacheSize: number;
}

export const defaultSeriesPolicy: SeriesPolicy = { finishMs: 360_000, refreshMs: 1_800_000, cacheSize: 4096 };

type Write = EventWrite<eventsv1.Event>;

interface Series {
  readonly event: eventsv1.Event;
  readonly count: number;
  /** Wall time of the last one, for people. */
  readonly lastAtMs: number;
  /** Monotonic. */
  readonly lastMs: number;
  /** How many the last write told. */
  readonly writtenCount: number;
}

export interface EventSeriesOptions {
  readonly hostName: string;
  readonly policy?: Partial<SeriesPolicy> | undefined;
}

export class EventSeries {
  readonly #policy: SeriesPolicy;
  readonly #hostName: string;
  /** In the order they were last heard of. */
  readonly #series = new Map<string, Series>();
  /** Those whose count is not all written, and since when; the longest first. */
  readonly #unwritten = new Map<string, number>();

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

  /** What has become due: the ends of series, and counts that were not written for long. */
  sweep(nowMs: number): readonly Write[] {
    const writes: Write[] = [];
    for (const [key, series] of this.#series) {
      if (this.#endMs(series) > nowMs) break;
      writes.push(...this.#finish(key));
    }
    for (const [key, sinceMs] of this.#unwritten) {
      if (sinceMs + this.#policy.refreshMs > nowMs) break;
      writes.push(...this.#writeCount(key));
    }
    return writes;
  }

  /**
   * When to `sweep` next. Nothing that is observed until then is due sooner: so whoever sleeps until then misses nothing.
   */
  nextDueMs(nowMs: number): number {
    const { finishMs, refreshMs } = this.#policy;
    const [oldest] = this.#series.values();
    const [sinceMs] = this.#unwritten.values();
    const endMs = oldest === undefined ? nowMs + finishMs : this.#endMs(oldest);
    return Math.min(endMs, (sinceMs ?? nowMs) + refreshMs);
  }

  /** Ends them all: what was counted and not written. */
  finishAll(): readonly Write[] {
    return [...this.#series.keys()].flatMap((key) => this.#finish(key));
  }

  /** The event of this key is to be found under another name. */
  rename(key: string, name: string): void {
    const series = this.#series.get(key);
    if (series === undefined) return;
    const { event } = series;
    this.#series.set(key, { ...series, event: { ...event, metadata: { ...event.metadata, name } } });
  }

  #add(
    key: string,
    { event, atMs, nowMs }: { readonly event: eventsv1.Event; readonly atMs: number; readonly nowMs: number },
  ): readonly Write[] {
    const seen = { lastAtMs: atMs, lastMs: nowMs };
    const before = this.#series.get(key);
    this.#series.delete(key);
    if (before === undefined) {
      this.#series.set(key, { event, count: 1, ...seen, writtenCount: 1 });
      return [{ key, event, isRepeat: false }];
    }
    this.#series.set(key, { ...before, ...seen, count: before.count + 1 });
    if (before.count === 1) return this.#writeCount(key);
    if (!this.#unwritten.has(key)) this.#unwritten.set(key, nowMs);
    return [];
  }

  #writeCount(key: string): readonly Write[] {
    const series = this.#series.get(key);
    this.#unwritten.delete(key);
    if (series === undefined || series.count === series.writtenCount) return [];
    this.#series.set(key, { ...series, writtenCount: series.count });
    return [{ key, event: withSeries(series), isRepeat: true }];
  }

  #finish(key: string): readonly Write[] {
    const writes = this.#writeCount(key);
    this.#series.delete(key);
    return writes;
  }

  #makeRoom(): readonly Write[] {
    if (this.#series.size <= this.#policy.cacheSize) return [];
    const [oldest] = this.#series.keys();
    return oldest === undefined ? [] : this.#finish(oldest);
  }

  #endMs({ lastMs }: Series): number {
    return lastMs + this.#policy.finishMs;
  }
}

function withSeries({ event, count, lastAtMs }: Series): eventsv1.Event {
  return { ...event, series: { count, lastObservedTime: printMicroTime(lastAtMs) } };
}
