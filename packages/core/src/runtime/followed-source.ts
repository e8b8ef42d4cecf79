// Follows one of a controller's own sources of wakes while the controller runs. The source is followed until it ends; when it fails, it is
// restarted with backoff. Keys from the source's initial state get a lower priority than keys that it reports later.
import {
  backoffDelayMs,
  type Clock,
  type Deferred,
  deferred,
  isAborted,
  jittered,
  type Log,
  type Random,
  toError,
  untilAborted,
} from "../base/index.ts";
import { synced, type Wake, type WakeSource } from "../contract/index.ts";
import type { Syncing } from "../informer/index.ts";
import type { UnsyncedSource } from "./watch-sources.ts";

export interface WakeSourceTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly wake: (wake: Wake, source: { readonly isInitial: boolean }) => void;
}

const backoff = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 1 };
/** If the source ran for longer than this, its next failure counts as the first one again. */
const healthyMs = 120_000;

export class FollowedSource implements Syncing {
  readonly #source: WakeSource;
  readonly #tools: WakeSourceTools;
  readonly #synced: Deferred<void> = deferred();
  #hasSynced = false;
  #failure: Error | undefined;

  constructor(source: WakeSource, tools: WakeSourceTools) {
    this.#source = source;
    this.#tools = tools;
    if (source.hasInitialState !== true) this.#becomeSynced();
  }

  get name(): string {
    return this.#source.name;
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    if (!this.#hasSynced) await untilAborted(this.#synced.promise, signal);
  }

  unsynced(): readonly UnsyncedSource[] {
    if (this.#failure !== undefined) return [{ name: this.name, reason: this.#failure.message }];
    return this.#hasSynced ? [] : [{ name: this.name, reason: "it has not reported its initial state yet" }];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#tools;
    const waiting = clock.labelled({ kind: "background", name: `source ${this.name}` });
    for (let failures = 0; ; ) {
      const sinceMs = clock.monotonic();
      try {
        await this.#followOnce(signal);
        return;
      } catch (error) {
        if (isAborted(error, signal)) return;
        failures = clock.monotonic() - sinceMs > healthyMs ? 1 : failures + 1;
        this.#failure = toError(error);
        log.warn("source failed, restarting it with backoff", { source: this.name, failures, error: this.#failure });
      }
      await waiting.sleep(jittered(backoffDelayMs(backoff, failures), backoff.jitter, random), signal);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    let isInitial = this.#source.hasInitialState === true;
    for await (const item of this.#source.follow(signal)) {
      this.#failure = undefined;
      if (item === synced) {
        isInitial = false;
        this.#becomeSynced();
      } else this.#tools.wake(item as Wake, { isInitial });
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
    this.#failure = undefined;
    this.#becomeSynced();
  }

  #becomeSynced(): void {
    this.#hasSynced = true;
    this.#synced.resolve();
  }
}
