// Keeps a controller's watches up to date with the resources that the server serves. Discovery is requested at the start, with retries until
// the server answers, and then every half minute. While discovery fails, the watches stay as they are.
import {
  backoffDelayMs,
  type Clock,
  type Deferred,
  deferred,
  isAborted,
  type Log,
  toError,
  untilAborted,
} from "../base/index.ts";
import type { Syncing } from "../informer/index.ts";
import type { UnsyncedSource } from "./watch-sources.ts";

export interface FollowedDiscoveryOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly everyMs: number;
  /** Requests discovery, and updates the watches to the served resources. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
}

const backoff = { initialMs: 800, factor: 2, maxMs: 30_000, jitter: 0 };

export class FollowedDiscovery implements Syncing {
  readonly name = "discovery";
  readonly #options: FollowedDiscoveryOptions;
  readonly #first: Deferred<void> = deferred();
  #state: "not asked" | "known" | Error = "not asked";

  constructor(options: FollowedDiscoveryOptions) {
    this.#options = options;
  }

  hasSynced(): boolean {
    return this.#state === "known";
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#first.promise, signal);
  }

  unsynced(): readonly UnsyncedSource[] {
    if (this.#state === "known") return [];
    return [{ name: this.name, reason: this.#state instanceof Error ? this.#state.message : "it has not answered" }];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, everyMs, follow } = this.#options;
    const waiting = clock.labelled({ kind: "background", name: "discovery" });
    for (let failures = 0; ; ) {
      try {
        await follow(signal);
        failures = 0;
        this.#state = "known";
        this.#first.resolve();
      } catch (error) {
        if (isAborted(error, signal)) return;
        failures++;
        this.#state = toError(error);
        log.warn("discovery failed: watches stay as they are", { error: this.#state });
      }
      await waiting.sleep(failures === 0 ? everyMs : Math.min(backoffDelayMs(backoff, failures), everyMs), signal);
    }
  }
}
