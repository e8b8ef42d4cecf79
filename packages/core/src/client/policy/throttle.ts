// Makes requests wait for a rate limiter, and says so: to the log when it takes long, and to a histogram always. Watches
// open without waiting, because they are rare and a cache is blind meanwhile; opening one again is not free, though, or a
// server in trouble would be stormed.
import type { ApiRequest, Transport } from "../../api/transport.ts";
import { type Clock, defaultLog, type Log, noMetrics } from "../../base/index.ts";
import { type MetricsOptions, restClientMetrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { isWatch } from "./request-traits.ts";

export interface ThrottleOptions extends MetricsOptions {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

const longWaitMs = 50;
const veryLongWaitMs = 1000;
// Everybody behind a short bucket waits long: one line now and then says as much as thousands.
const tellEveryMs = 10_000;

/** One client's way through a limiter that it may share with others. */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #durations;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#durations = (options.metrics ?? noMetrics).histogram(restClientMetrics.rateLimiterDuration);
  }

  /** How long a request that came now would wait. */
  get waitMs(): number {
    return this.#options.limiter.waitMs;
  }

  async pass(request: ApiRequest, signal: AbortSignal): Promise<void> {
    const { limiter, clock, host = "none" } = this.#options;
    const startMs = clock.monotonic();
    try {
      await limiter.wait(signal);
    } finally {
      const waitedMs = clock.monotonic() - startMs;
      this.#durations.labels({ verb: request.method, host }).observe(waitedMs / 1000);
      if (waitedMs > longWaitMs) this.#tell(request, waitedMs);
    }
  }

  #tell({ method, path }: ApiRequest, waitedMs: number): void {
    const { clock, log = defaultLog } = this.#options;
    const nowMs = clock.monotonic();
    const isForAll = waitedMs > veryLongWaitMs && nowMs - this.#toldAtMs >= tellEveryMs;
    if (isForAll) this.#toldAtMs = nowMs;
    log[isForAll ? "info" : "debug"]("client-side throttling", { method, path, waitedMs });
  }
}

/** Every request but a watch waits its turn. Retries do so by themselves (`withRetry`), watches' too. */
export function withRateLimit(transport: Transport, throttle: Throttle): Transport {
  return async (request, signal) => {
    if (!isWatch(request)) await throttle.pass(request, signal);
    return transport(request, signal);
  };
}
