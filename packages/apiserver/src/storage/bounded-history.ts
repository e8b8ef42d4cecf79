// Which events of all collections together are still known, and which are forgotten: the history is limited by the number of its events, by the
// bytes of the versions that only the history holds, and by age, whichever is least; the oldest events are forgotten first. A compaction forgets
// all events up to a revision.
import { RingBuffer } from "@kubeloop/core/base";
import { estimateBytes } from "./object-bytes.ts";
import type { StorageEvent } from "./storage.ts";

export interface HistoryLimits {
  readonly events: number;
  /** Of the versions before each event, estimated: the current ones are not history. */
  readonly bytes: number;
  readonly ageMs: number;
}

interface KnownEvent {
  readonly event: StorageEvent;
  /** Of the version that this event superseded. */
  readonly bytes: number;
  readonly atMs: number;
}

export class BoundedHistory {
  readonly #limits: HistoryLimits;
  readonly #forget: (event: StorageEvent) => void;
  /** In the order in which they happened. */
  readonly #known = new RingBuffer<KnownEvent>();
  #bytes = 0;

  /** `forget` is called for each event that is forgotten, in order. */
  constructor(limits: HistoryLimits, forget: (event: StorageEvent) => void) {
    this.#limits = limits;
    this.#forget = forget;
  }

  /** How many bytes the versions take that only the history holds, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  push(event: StorageEvent, nowMs: number): void {
    const bytes = estimateBytes(event.before);
    this.#known.push({ event, bytes, atMs: nowMs });
    this.#bytes += bytes;
  }

  /** Forgets what is beyond the limits. */
  trim(nowMs: number): void {
    const { events, bytes } = this.#limits;
    while (this.#known.size > events || this.#bytes > bytes) this.#forgetOldest();
    this.forgetAged(nowMs);
  }

  /** Forgets the events that are older than the limit. */
  forgetAged(nowMs: number): void {
    const endMs = nowMs - this.#limits.ageMs;
    while ((this.#known.peek()?.atMs ?? Number.POSITIVE_INFINITY) < endMs) this.#forgetOldest();
  }

  /** Forgets the events up to this revision. */
  compact(revision: number): void {
    while ((this.#known.peek()?.event.revision ?? Number.POSITIVE_INFINITY) <= revision) this.#forgetOldest();
  }

  /** Forgets everything, and calls nobody: those who held the events have been replaced. */
  clear(): void {
    this.#known.clear();
    this.#bytes = 0;
  }

  #forgetOldest(): void {
    const oldest = this.#known.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.bytes;
    this.#forget(oldest.event);
  }
}
