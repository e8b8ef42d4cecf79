// The HTTP handling that all webhooks share: a POST of JSON with a limited size, answered within the timeout of the API server. A request that
// cannot be decoded is refused with a status code and a Status. A decoded review is answered with 200, whether it is allowed or refused.
import {
  type ApiRequest,
  type ApiResponse,
  collectBytes,
  DurationError,
  findStatusError,
  headerValue,
  newBadRequest,
  newRequestEntityTooLarge,
  newStatusError,
  newTimeout,
  parseDurationMs,
  queryValue,
  type Transport,
  TransportError,
} from "../../api/index.ts";
import { type Clock, TimeoutError, timeoutSignal, toError, untilAborted } from "../../base/index.ts";
import { jsonResponse, statusResponse } from "../serving/index.ts";
import { type ExactJson, parseExactJson } from "./exact-json.ts";
import type { PathMetrics } from "./webhook-metrics.ts";

export interface ReviewHandlerOptions {
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly counted: PathMetrics;
  /** Returns the printed answer to the parsed body. */
  readonly review: (body: ExactJson, signal: AbortSignal) => Promise<string>;
  /** Called with the promise of each review. A review that ignores its signal continues after its timeout. */
  readonly onWork: (work: Promise<unknown>) => void;
}

/** The longest timeout of an API server; used if a request has no timeout. */
const longestMs = 30_000;

export function reviewHandler(options: ReviewHandlerOptions): Transport {
  const { clock, counted } = options;
  return async (request, signal) => {
    const beganMs = clock.monotonic();
    counted.begin();
    let code = 500;
    try {
      const response = await answer(request, options, signal);
      code = response.status;
      return response;
    } finally {
      counted.end(code, (clock.monotonic() - beganMs) / 1000);
    }
  };
}

async function answer(
  request: ApiRequest,
  { clock, maxBytes, review, onWork }: ReviewHandlerOptions,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const deadline = clock.labelled({ kind: "background", name: `deadline of ${request.path}` });
  using limit = timeoutSignal(signal, deadlineMs(request), { clock: deadline, what: `webhook ${request.path}` });
  try {
    checkRequest(request);
    const body = parseBody(await readBody(request, maxBytes));
    const work = review(body, limit.signal);
    onWork(work);
    return jsonResponse(200, await untilAborted(work, limit.signal));
  } catch (error) {
    if (signal.aborted) throw error;
    // The API server applies the failurePolicy of the webhook, as if its own timeout had passed.
    if (error instanceof TimeoutError) return statusResponse(newTimeout(error.message).status);
    const known = findStatusError(error);
    if (known !== undefined) return statusResponse(known.status);
    throw error;
  }
}

function checkRequest({ method, headers }: ApiRequest): void {
  if (method !== "POST") {
    throw newStatusError({ code: 405, reason: "MethodNotAllowed", message: "reviews are sent by POST" });
  }
  const type = headerValue(headers, "content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() === "application/json") return;
  const message = `contentType=${type}, expected application/json`;
  throw newStatusError({ code: 415, reason: "UnsupportedMediaType", message });
}

async function readBody({ body }: ApiRequest, maxBytes: number): Promise<string> {
  if (body.kind === "value") return JSON.stringify(body.value);
  if (body.kind === "none") throw newBadRequest("request body is empty");
  try {
    const bytes =
      body.bytes instanceof Uint8Array ? checkSize(body.bytes, maxBytes) : await collectBytes(body.bytes, { maxBytes });
    if (bytes.length === 0) throw newBadRequest("request body is empty");
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (error instanceof TransportError && error.reason === "BodyTooLarge") throw tooLarge(maxBytes);
    throw error;
  }
}

function parseBody(text: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw newBadRequest(`the body cannot be read: ${toError(error).message}`);
  }
}

function checkSize(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  return bytes;
}

const tooLarge = (maxBytes: number) => newRequestEntityTooLarge(`limit is ${maxBytes}`);

function deadlineMs({ query }: ApiRequest): number {
  const text = queryValue(query, "timeout");
  if (text === undefined) return longestMs;
  try {
    const ms = parseDurationMs(text);
    return ms > 0 ? Math.min(ms, longestMs) : longestMs;
  } catch (error) {
    if (error instanceof DurationError) return longestMs;
    throw error;
  }
}
