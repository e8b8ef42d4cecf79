// Turns what is recorded into what is worth writing, for core/v1. No clock, no server: event and time go in, the write comes out.
//
// In this order
// 1. Similar events, those that differ in their message only: the first few distinct messages have events of their own; the
//    others are told together, in one event that carries the newest message. Forgotten after a silence.
// 2. The same event again counts up and keeps its name, so that it is written as a change of the first.
// 3. Spam: one source has so many events about one object, then one now and again. What is left out has been counted, and
//    shows in the count of the next that is written.
//
// Each remembers the last few thousand, whatever happens.
import type { corev1 } from "../api/index.ts";
import { fullBucket, msUntilToken, type TokenBucket, takeToken } from "../base/index.ts";
import { combinedMessage, sameEventKey, similarEventsKey, spamKey, toCoreEvent } from "./core-event.ts";
import type { EventWrite } from "./event-write.ts";
import { LruMap } from "./lru-map.ts";
import { joinKey, type RecordedEvent } from "./recorded-event.ts";

export interface CorrelatorPolicy {
  /** From this many distinct messages on, similar events are told together. 10 unless given. */
  readonly maxSimilar: number;
  /** Similar events are forgotten after a longer silence than this. Ten minutes unless given. */
  readonly similarWithinMs: number;
  /** How many events one source may have about one object at once. 25 unless given. */
  readonly spamBurst: number;
  /** And how many more a second. One in five minutes unless given. */
  readonly spamQps: number;
  /** How much is remembered of each: similar events, counts, sources. 4096 unless given. */
  readonly cacheSize: number;
  /** What events are similar. */
  readonly similarKeyOf: (event: corev1.Event) => string;
  /** What is told of similar events. */
  readonly combinedMessageOf: (event: corev1.Event) => string;
  /** Which events are limited together. */
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

/** Messages that have events of their own, and when one was last heard. */
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

  /** Undefined for spam. `nowMs` is monotonic. */
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

  /** The event of this key is to be found under another name. */
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
    // Whatever is particular to one of them is not said of all.
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

/** One more message among similar ones. The first distinct ones stay by themselves, for as long as the others keep coming. */
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
