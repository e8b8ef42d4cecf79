// Delays requests by a rate limiter and reports the wait: in the log if it is long, and always in a histogram. Opening a watch
// does not wait, because watches are rare and a cache is blind meanwhile. Retries of that request do wait (in `withRetry`),
// otherwise a server in trouble would be overloaded.
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
// When the limit is too low, every request waits long: one line from time to time is enough.
const logIntervalMs = 10_000;

/** One client's use of a limiter that it may share with others. */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #durations;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#durations = (options.metrics ?? noMetrics).histogram(restClientMetrics.rateLimiterDuration);
  }

  /** Returns how long a new request would wait. */
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
    const isForAll = waitedMs > veryLongWaitMs && nowMs - this.#toldAtMs >= logIntervalMs;
    if (isForAll) this.#toldAtMs = nowMs;
    log[isForAll ? "info" : "debug"]("client-side throttling", { method, path, waitedMs });
  }
}

/** Delays every request except watches. Retries wait in `withRetry`, including those of watches. */
export function withRateLimit(transport: Transport, throttle: Throttle): Transport {
  return async (request, signal) => {
    if (!isWatch(request)) await throttle.pass(request, signal);
    return transport(request, signal);
  };
}
