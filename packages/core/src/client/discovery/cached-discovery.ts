// Caches the result of discovery for a while and shares it between all callers.
//
// Promises
// - Concurrent callers share one read. An aborted caller does not affect the others; when all are aborted, the read is aborted.
// - After `invalidate()` no result is returned whose read began before it, not even by a read in progress.
// - `refresh()` returns a result whose read began after the call. If it fails, the cached result stays valid.
// - The error of a failed read is thrown and not cached: the next caller tries again. With `onFailure: "stale"` callers get the
//   old result instead, even if it is expired or invalidated; `lastFailure` then has the error.
//
// The default time to live is ten minutes. client-go's memory cache never expires and kubectl's lives for six hours; with both
// a long-lived process uses kinds that no longer exist. A new read costs two empty responses if the server sends
// ETags. A result in which some group failed is cached for only 30 s, so that a recovered group is seen soon.
import { type Clock, isAborted, SharedWork, systemClock, toError } from "../../base/index.ts";
import type { Discovered } from "./discovered.ts";
import type { Discovery } from "./discovery.ts";

export interface CachedDiscoveryOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: ten minutes. */
  readonly ttlMs?: number;
  /** For a result with failures. Default: 30 s, and never longer than `ttlMs`. */
  readonly incompleteTtlMs?: number;
  /** What to do if a new read fails. Default: "throw". */
  readonly onFailure?: "throw" | "stale";
}

/** A result, and whether its read began after the call. */
export interface Reading {
  readonly discovered: Discovered;
  readonly isNew: boolean;
}

interface Kept {
  readonly discovered: Discovered;
  /** Reads are numbered when they begin. */
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
  /** Results of reads up to this number must not be returned. */
  #invalid = 0;

  constructor(discovery: Pick<Discovery, "discover">, options: CachedDiscoveryOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#ttlMs = options.ttlMs ?? 600_000;
    this.#incompleteTtlMs = Math.min(options.incompleteTtlMs ?? 30_000, this.#ttlMs);
    this.#onFailure = options.onFailure ?? "throw";
    this.#read = new SharedWork((signal) => this.#readOnce(discovery, signal));
  }

  /** The error of the last read; undefined if it succeeded. */
  get lastFailure(): Error | undefined {
    return this.#lastFailure;
  }

  async discover(signal: AbortSignal): Promise<Discovered> {
    return (await this.read(signal)).discovered;
  }

  /** Like `discover`, and says whether the read began after this call. */
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

  /** Reads again, whatever is cached. */
  async refresh(signal: AbortSignal): Promise<Discovered> {
    const outcome = await this.#readAfter(this.#begun, signal);
    if ("kept" in outcome) return outcome.kept.discovered;
    throw outcome.failure;
  }

  /** Later calls return only results whose read begins from now on. */
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
