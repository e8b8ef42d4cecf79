// Retries a request if that is safe and likely to help; retry-decision.ts decides. Every attempt sends
// the same request, unchanged.
//
// Promises: at most `maxRetries` after the first attempt. No wait goes past the request's deadline: instead, the last response is
// returned or the last error thrown. A response that is not returned is disposed of before the wait. Aborting ends the wait
// immediately and leaves nothing behind.
import { type ApiRequest, type ApiResponse, headerValue, type Transport } from "../../api/transport.ts";
import { type Clock, defaultLog, type Log } from "../../base/index.ts";
import { timeoutMsOf } from "./deadline.ts";
import { type AttemptCode, type MetricsOptions, retryCounter } from "./metrics.ts";
import { decideRetry, isRepeatable } from "./retry-decision.ts";
import type { Throttle } from "./throttle.ts";

export interface RetryOptions extends MetricsOptions {
  readonly clock: Clock;
  /** Default: 10. */
  readonly maxRetries?: number | undefined;
  /** Retries wait for it too, including those of watches. */
  readonly throttle?: Throttle | undefined;
  readonly log?: Log | undefined;
}

type Outcome =
  | { readonly kind: "answer"; readonly response: ApiResponse }
  | { readonly kind: "failure"; readonly error: unknown };

export function withRetry(transport: Transport, options: RetryOptions): Transport {
  const { clock, throttle, log = defaultLog, maxRetries = 10 } = options;
  const counted = retryCounter(options);
  return async (request, signal) => {
    const endMs = clock.monotonic() + (timeoutMsOf(request) ?? Number.POSITIVE_INFINITY);
    for (let retries = 0; ; retries++) {
      const outcome = await attempt(transport, request, signal);
      if (retries > 0) counted(request, codeOf(outcome)).inc();
      if (outcome.kind === "failure" && signal.aborted) throw signal.reason;
      // The fast path: nothing to decide about a response that no rule retries.
      if (outcome.kind === "answer" && !isRepeatable(outcome.response.status)) return outcome.response;
      const decision = decideRetry({
        request,
        outcome,
        retries,
        maxRetries,
        leftMs: endMs - clock.monotonic(),
        throttleMs: throttle?.waitMs ?? 0,
        nowMs: clock.now(),
      });
      if (decision.kind === "settle") return settle(outcome);
      if (decision.kind === "empty-watch") return emptyWatch(request);
      const { delayMs } = decision;
      log.debug("retrying request", { ...factsOf(request, outcome), retry: retries + 1, delayMs });
      if (outcome.kind === "answer") await discard(outcome.response);
      if (delayMs > 0) await clock.sleep(delayMs, signal);
      await throttle?.pass(request, signal);
      signal.throwIfAborted();
    }
  };
}

async function attempt(transport: Transport, request: ApiRequest, signal: AbortSignal): Promise<Outcome> {
  try {
    return { kind: "answer", response: await transport(request, signal) };
  } catch (error) {
    return { kind: "failure", error };
  }
}

function settle(outcome: Outcome): ApiResponse {
  if (outcome.kind === "failure") throw outcome.error;
  return outcome.response;
}

function codeOf(outcome: Outcome): AttemptCode {
  return outcome.kind === "answer" ? outcome.response.status : "<error>";
}

function factsOf({ method, path }: ApiRequest, outcome: Outcome) {
  if (outcome.kind === "failure") return { method, path, error: outcome.error };
  const { status, headers } = outcome.response;
  // A request throttled by API Priority and Fairness: log the flow schema that it matched.
  const flowSchema = headerValue(headers, "x-kubernetes-pf-flowschema-uid");
  return { method, path, status, ...(flowSchema === undefined ? {} : { flowSchema }) };
}

function emptyWatch(request: ApiRequest): ApiResponse {
  const nothing: AsyncIterable<never> = { [Symbol.asyncIterator]: () => ({ next: async () => noMore }) };
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: request.prefers === "values" ? { kind: "values", values: nothing } : { kind: "bytes", bytes: nothing },
    [Symbol.asyncDispose]: async () => {},
  };
}

const noMore = { done: true, value: undefined } as const;
const worthReadingBytes = 2048;

/** Reads the small rest of a body, so that its connection can be reused, and disposes of the response. */
async function discard(response: ApiResponse): Promise<void> {
  const { body, headers } = response;
  try {
    const length = Number(headerValue(headers, "content-length") ?? 0);
    if (body.kind !== "bytes" || !(length <= worthReadingBytes)) return;
    let left = worthReadingBytes;
    for await (const chunk of body.bytes) {
      left -= chunk.length;
      if (left <= 0) return;
    }
  } catch {
    // Ignored: the response is not needed, and a lost connection or an abort shows in what follows.
  } finally {
    await response[Symbol.asyncDispose]();
  }
}
