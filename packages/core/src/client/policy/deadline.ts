// A deadline for each request that ends by itself. It covers everything from here on, retries and the reading of the body
// included; when it passes, whatever is under way ends with a TimeoutError that names the request.
//
// The deadline travels in the query, as `timeout`, so that the server gives up when the client has. A request that names
// its own there, or in `timeoutSeconds`, keeps it. Watches, logs and upgraded connections have none.
import { DurationError, parseDurationMs, printDurationMs } from "../../api/duration.ts";
import { type ApiRequest, type ApiResponse, queryValue, type Transport } from "../../api/transport.ts";
import { type ChildSignal, type Clock, timeoutSignal } from "../../base/index.ts";
import { observeResponse } from "./observed-response.ts";
import { isLongRunning, printRequest } from "./request-traits.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  /** For requests that name none; no deadline unless given. */
  readonly timeoutMs?: number | undefined;
}

export function withDeadline(transport: Transport, options: DeadlineOptions): Transport {
  return async (request, signal) => {
    const timed = nameTimeout(request, options.timeoutMs);
    const timeoutMs = timeoutMsOf(timed);
    if (timeoutMs === undefined) return transport(request, signal);
    const what = printRequest(request);
    const clock = options.clock.labelled({ kind: "work", name: `deadline of ${what}` });
    const deadline = timeoutSignal(signal, timeoutMs, { clock, what });
    return exchange(transport, timed, deadline);
  };
}

async function exchange(transport: Transport, request: ApiRequest, deadline: ChildSignal): Promise<ApiResponse> {
  try {
    const response = await transport(request, deadline.signal);
    return observeResponse(response, { onEnd: () => deadline[Symbol.dispose]() });
  } catch (error) {
    deadline[Symbol.dispose]();
    throw error;
  }
}

/** How long the request may take by its `timeout`; undefined when it may take for ever. */
export function timeoutMsOf(request: ApiRequest): number | undefined {
  const timeout = queryValue(request.query, "timeout");
  if (timeout === undefined || isLongRunning(request)) return undefined;
  const timeoutMs = parseTimeoutMs(timeout);
  return timeoutMs > 0 ? timeoutMs : undefined;
}

/** The request with a `timeout`: its own, that of its `timeoutSeconds`, or the one given. */
function nameTimeout(request: ApiRequest, givenMs = 0): ApiRequest {
  const { query } = request;
  if (queryValue(query, "timeout") !== undefined) return request;
  const timeoutSeconds = queryValue(query, "timeoutSeconds");
  const timeoutMs = timeoutSeconds === undefined ? givenMs : Number(timeoutSeconds) * 1000;
  if (!(timeoutMs > 0) || !Number.isFinite(timeoutMs) || isLongRunning(request)) return request;
  return { ...request, query: [...query, ["timeout", printDurationMs(timeoutMs)]] };
}

/** NaN for what is no duration: the server will refuse it in its own words. */
function parseTimeoutMs(text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (error instanceof DurationError) return Number.NaN;
    throw error;
  }
}
