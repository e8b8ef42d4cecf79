// A deadline for each request that is not long-running. It covers everything from here on, including retries and reading the
// body; when it passes, whichever of these is in progress fails with a TimeoutError that names the request.
//
// The deadline is sent in the query, as `timeout`, so that the server stops when the client does. A request with
// its own `timeout` or `timeoutSeconds` keeps it. Watches, logs and upgraded connections have no deadline.
import { DurationError, parseDurationMs, printDurationMs } from "../../api/duration.ts";
import { type ApiRequest, type ApiResponse, queryValue, type Transport } from "../../api/transport.ts";
import { type ChildSignal, type Clock, timeoutSignal } from "../../base/index.ts";
import { observeResponse } from "./observed-response.ts";
import { isLongRunning, printRequest } from "./request-traits.ts";

export interface DeadlineOptions {
  readonly clock: Clock;
  /** For requests without their own. Default: no deadline. */
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

/** Returns the request's `timeout`; undefined if it has no positive one or is long-running, which means no deadline. */
export function timeoutMsOf(request: ApiRequest): number | undefined {
  const timeout = queryValue(request.query, "timeout");
  if (timeout === undefined || isLongRunning(request)) return undefined;
  const timeoutMs = parseTimeoutMs(timeout);
  return timeoutMs > 0 ? timeoutMs : undefined;
}

/** Returns the request with a `timeout`: its own, its `timeoutSeconds`, or the given one. Adds none to a long-running request. */
function nameTimeout(request: ApiRequest, givenMs = 0): ApiRequest {
  const { query } = request;
  if (queryValue(query, "timeout") !== undefined) return request;
  const timeoutSeconds = queryValue(query, "timeoutSeconds");
  const timeoutMs = timeoutSeconds === undefined ? givenMs : Number(timeoutSeconds) * 1000;
  if (!(timeoutMs > 0) || !Number.isFinite(timeoutMs) || isLongRunning(request)) return request;
  return { ...request, query: [...query, ["timeout", printDurationMs(timeoutMs)]] };
}

/** NaN if the text is not a duration: the server rejects it with its own message. */
function parseTimeoutMs(text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (error instanceof DurationError) return Number.NaN;
    throw error;
  }
}
