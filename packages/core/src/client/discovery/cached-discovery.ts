// Discovery's last answer, kept for a while and shared by all who ask.
//
// Promises
// - Concurrent callers share one read. One who gives up disturbs no other; when all have given up the read is aborted.
// - After `invalidate()` nothing whose reading began before it is handed out, not even by a read that is under way.
// - `refresh()` gives an answer whose reading began after the call. If it fails, what was there before stays good.
// - A failure to read is thrown and not kept: the next caller tries again. Who prefers an old answer, be it expired or
//   invalidated, says `onFailure: "stale"`; `lastFailure` then tells.
//
// How long: ten minutes unless given. client-go's memory cache never expires and kubectl's lives for six hours; both
// make a long-lived process believe in kinds that are gone. A new look costs two empty answers where the server sends
// ETags. An answer in which some group failed is kept for half a minute only, so that what recovers is seen.
import { type Clock, isAborted, SharedWork, systemClock, toError } from "../../base/index.ts";
import type { Discovered } from "./discovered.ts";
import type { Discovery } from "./discovery.ts";

export interface CachedDiscoveryOptions {
  /** The system's unless given. */
  readonly clock?: Clock;
  /** Ten minutes unless given. */
  readonly ttlMs?: number;
  /** For an answer with failures; 30 s unless given, and never longer than `ttlMs`. */
  readonly incompleteTtlMs?: number;
  /** What to do when a new answer is needed and cannot be had. "throw" unless given. */
  readonly onFailure?: "throw" | "stale";
}

/** An answer, and whether the reading of it began after the question. */
export interface Reading {
  readonly discovered: Discovered;
  readonly isNew: boolean;
}

interface Kept {
  readonly discovered: Discovered;
  /** Reads are numbered as they begin. */
  readonly serial: number;
  readonly begunAtMs: number;
}

type Outcome = { readonly kept: Kept } | { readonly failure: Error; readonly serial: number };

export class CachedDiscovery {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #incompleteTtlMs: number;
  readonly #onFailure: "throw" | "stale";
  readonly #read: SharedWork<Outcome>;
  #kept: Kept | undefined;
  #lastFailure: Error | undefined;
  #begun = 0;
  /** Reads up to this number are not to be handed out. */
  #invalid = 0;

  constructor(discovery: Pick<Discovery, "discover">, options: CachedDiscoveryOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#ttlMs = options.ttlMs ?? 600_000;
    this.#incompleteTtlMs = Math.min(options.incompleteTtlMs ?? 30_000, this.#ttlMs);
    this.#onFailure = options.onFailure ?? "throw";
    this.#read = new SharedWork((signal) => this.#readOnce(discovery, signal));
  }

  /** Why the last read failed; undefined after one that did not. */
  get lastFailure(): Error | undefined {
    return this.#lastFailure;
  }

  async discover(signal: AbortSignal): Promise<Discovered> {
    return (await this.read(signal)).discovered;
  }

  /** As `discover`, and says whether this call had to wait for the server. */
  async read(signal: AbortSignal): Promise<Reading> {
    signal.throwIfAborted();
    const kept = this.#kept;
    if (kept !== undefined && this.#isGood(kept)) return { discovered: kept.discovered, isNew: false };
    const begunBefore = this.#begun;
    const outcome = await this.#readAfter(this.#invalid, signal);
    if ("kept" in outcome) {
      return { discovered: outcome.kept.discovered, isNew: outcome.kept.serial > begunBefore };
    }
    const old = this.#kept;
    if (this.#onFailure === "stale" && old !== undefined) return { discovered: old.discovered, isNew: false };
    throw outcome.failure;
  }

  /** Reads anew, whatever is kept. */
  async refresh(signal: AbortSignal): Promise<Discovered> {
    const outcome = await this.#readAfter(this.#begun, signal);
    if ("kept" in outcome) return outcome.kept.discovered;
    throw outcome.failure;
  }

  /** Whoever asks from now on gets what is read from now on. */
  invalidate(): void {
    this.#invalid = this.#begun;
  }

  #isGood({ discovered, serial, begunAtMs }: Kept): boolean {
    const ttlMs = discovered.failures.size > 0 ? this.#incompleteTtlMs : this.#ttlMs;
    return serial > this.#invalid && this.#clock.monotonic() - begunAtMs < ttlMs;
  }

  async #readAfter(serial: number, signal: AbortSignal): Promise<Outcome> {
    for (;;) {
      const outcome = await this.#read.join(signal);
      if (("kept" in outcome ? outcome.kept.serial : outcome.serial) > serial) return outcome;
    }
  }

  async #readOnce(discovery: Pick<Discovery, "discover">, signal: AbortSignal): Promise<Outcome> {
    const serial = ++this.#begun;
    const begunAtMs = this.#clock.monotonic();
    try {
      const kept = { discovered: await discovery.discover(signal), serial, begunAtMs };
      this.#kept = kept;
      this.#lastFailure = undefined;
      return { kept };
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      this.#lastFailure = toError(error);
      return { failure: this.#lastFailure, serial };
    }
  }
}
