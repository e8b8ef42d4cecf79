// Decides what to write to core/v1 for each recorded event, as client-go's EventCorrelator does. No clock, no server: the event and
// the time go in, the write comes out.
//
// In this order
// 1. Aggregation: of similar events, which differ only in their message, the first few distinct messages get events of their own. Later
//    messages are aggregated into one event that carries the newest message. After a time without such events the aggregation starts anew.
// 2. Counting: a repeated event increments the count of the first and keeps its name, so that it is written as a patch.
// 3. Spam filter: one source may write a burst of events about one object, then one every few minutes. A filtered event is still
//    counted; its count shows in the next event that is written.
//
// Each step caches at most the last `cacheSize` keys.
import type { corev1 } from "../api/index.ts";
import { fullBucket, msUntilToken, type TokenBucket, takeToken } from "../base/index.ts";
import { combinedMessage, sameEventKey, similarEventsKey, spamKey, toCoreEvent } from "./core-event.ts";
import type { EventWrite } from "./event-write.ts";
import { LruMap } from "./lru-map.ts";
import { joinKey, type RecordedEvent } from "./recorded-event.ts";

export interface CorrelatorPolicy {
  /** From this many distinct messages on, similar events are aggregated. Default: 10. */
  readonly maxSimilar: number;
  /** Similar events are forgotten after this long without a new one. Default: ten minutes. */
  readonly similarWithinMs: number;
  /** How many events one source may write about one object at once. Default: 25. */
  readonly spamBurst: number;
  /** How many more events per second are allowed after the burst. Default: one in five minutes. */
  readonly spamQps: number;
  /** The size of each cache: similar events, counts, sources. Default: 4096. */
  readonly cacheSize: number;
  /** Events with the same key are similar. */
  readonly similarKeyOf: (event: corev1.Event) => string;
  /** The message of the aggregated event. */
  readonly combinedMessageOf: (event: corev1.Event) => string;
  /** Events with the same key share one spam filter bucket. */
  readonly spamKeyOf: (event: corev1.Event) => string;
}

export const defaultCorrelatorPolicy: CorrelatorPolicy = {
  maxSimilar: 10,
  similarWithinMs: 600_000,
  spamBurst: 25,
  spamQps: 1 / 300,
  cacheSize: 4096,
  similarKeyOf: similarEventsKey,
  combinedMessageOf: combinedMessage,
  spamKeyOf: spamKey,
};

/** The messages that have events of their own, and when one of them last occurred. */
interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastMs: number;
}

type Counted = Pick<corev1.Event, "firstTimestamp"> & { readonly name: string; readonly count: number };

export class EventCorrelator {
  readonly #policy: CorrelatorPolicy;
  readonly #similar: LruMap<string, Similar>;
  readonly #counted: LruMap<string, Counted>;
  readonly #buckets: LruMap<string, TokenBucket>;

  constructor(policy: Partial<CorrelatorPolicy> = {}) {
    this.#policy = { ...defaultCorrelatorPolicy, ...policy };
    const { cacheSize } = this.#policy;
    this.#similar = new LruMap(cacheSize);
    this.#counted = new LruMap(cacheSize);
    this.#buckets = new LruMap(cacheSize);
  }

  /** Returns undefined if the spam filter drops the event. `nowMs` is monotonic. */
  correlate(recorded: RecordedEvent, nowMs: number): EventWrite<corev1.Event> | undefined {
    const { key, event } = this.#combine(toCoreEvent(recorded), nowMs);
    const counted = this.#count(key, event);
    const { name, firstTimestamp, count } = counted;
    const write = {
      ...event,
      metadata: { ...event.metadata, name },
      ...(firstTimestamp === undefined ? {} : { firstTimestamp }),
      count,
    };
    return this.#isSpam(write, nowMs) ? undefined : { key, event: write, isRepeat: count > 1 };
  }

  /** Remembers that the event of this key now has another name. */
  rename(key: string, name: string): void {
    const counted = this.#counted.get(key);
    if (counted !== undefined) this.#counted.set(key, { ...counted, name });
  }

  #combine(event: corev1.Event, nowMs: number): { readonly key: string; readonly event: corev1.Event } {
    const { similarKeyOf, combinedMessageOf } = this.#policy;
    const similarKey = similarKeyOf(event);
    const { record, isCombined } = withMessage(this.#similar.get(similarKey), event.message ?? "", nowMs, this.#policy);
    this.#similar.set(similarKey, record);
    if (!isCombined) return { key: sameEventKey(event), event };
    // The aggregated event has no annotations, because they belong to single events.
    const { annotations: _, ...metadata } = event.metadata;
    return { key: joinKey(["combined", similarKey]), event: { ...event, metadata, message: combinedMessageOf(event) } };
  }

  #count(key: string, { metadata, firstTimestamp }: corev1.Event): Counted {
    const before = this.#counted.get(key);
    const counted =
      before === undefined
        ? { name: metadata.name ?? "", count: 1, ...(firstTimestamp === undefined ? {} : { firstTimestamp }) }
        : { ...before, count: before.count + 1 };
    this.#counted.set(key, counted);
    return counted;
  }

  #isSpam(event: corev1.Event, nowMs: number): boolean {
    const key = this.#policy.spamKeyOf(event);
    const rate = { qps: this.#policy.spamQps, burst: this.#policy.spamBurst };
    const bucket = this.#buckets.get(key) ?? fullBucket;
    const isSpam = msUntilToken(bucket, rate, { nowMs, ahead: 0 }) > 0;
    this.#buckets.set(key, isSpam ? bucket : takeToken(bucket, rate, nowMs));
    return isSpam;
  }
}

/** Adds a message to those of similar events. The first distinct messages keep their own events while similar events continue. */
function withMessage(
  before: Similar | undefined,
  message: string,
  nowMs: number,
  { maxSimilar, similarWithinMs }: CorrelatorPolicy,
): { readonly record: Similar; readonly isCombined: boolean } {
  const isFresh = before === undefined || nowMs - before.lastMs > similarWithinMs;
  const messages: ReadonlySet<string> = isFresh ? new Set() : before.messages;
  if (messages.has(message)) return { record: { messages, lastMs: nowMs }, isCombined: false };
  const isCombined = messages.size + 1 >= maxSimilar;
  const record = { messages: isCombined ? messages : new Set([...messages, message]), lastMs: nowMs };
  return { record, isCombined };
}
