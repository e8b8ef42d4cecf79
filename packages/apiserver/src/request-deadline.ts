// The deadline of a request: 60 s, or what it asks for with `timeout` if that is less. Who takes longer is answered 504, without waiting for what is
// still under way. An answer that is still being made when it is returned, a list of many pages, counts until it was sent.
import {
  type ApiRequest,
  type ApiResponse,
  bytesResponse,
  newTimeout,
  valueResponse,
  WholeBytes,
} from "@kubeloop/core/api";
import { type Clock, onAbort, timeoutSignal, untilAborted } from "@kubeloop/core/base";

export interface Deadline {
  readonly request: ApiRequest;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called once or more often when the request is over: when it was answered and sent, has failed, or its time is up. */
  onEnd(): void;
}

export async function withinDeadline(
  begin: (signal: AbortSignal) => Promise<ApiResponse>,
  { request, timeoutMs, clock, onEnd }: Deadline,
  signal: AbortSignal,
): Promise<ApiResponse> {
  // No timer is as short, and no request: nothing is begun.
  if (timeoutMs < shortestTimeoutMs) return tooLate(request);
  const labelled = clock.labelled({ kind: "background", name: "request deadline" });
  const bounded = timeoutSignal(signal, timeoutMs, { clock: labelled, what: "the request" });
  const end = () => {
    bounded[Symbol.dispose]();
    onEnd();
  };
  const work = begin(bounded.signal);
  try {
    const response = await untilAborted(work, bounded.signal);
    if (!isWhole(response)) return untilSent(response, bounded.signal, end);
    end();
    return response;
  } catch (error) {
    end();
    if (!bounded.signal.aborted || signal.aborted) throw error;
    // An answer that comes after all is nobody's.
    void work.then(
      (late) => late[Symbol.asyncDispose](),
      () => {},
    );
    return tooLate(request);
  }
}

/** Whether the whole answer is there. */
function isWhole({ body }: ApiResponse): boolean {
  return body.kind !== "bytes" ? body.kind !== "values" : body.bytes instanceof WholeBytes;
}

/** A response that is still being made counts, and its time runs, until it is disposed of or its time is up. */
function untilSent(response: ApiResponse, signal: AbortSignal, end: () => void): ApiResponse {
  const deadline = onAbort(signal, end);
  return {
    ...response,
    async [Symbol.asyncDispose]() {
      deadline[Symbol.dispose]();
      end();
      await response[Symbol.asyncDispose]();
    },
  };
}

const shortestTimeoutMs = 1;

/** A real server is past encoding when time is up: what it writes then has no kind, and says it were text. */
function tooLate({ prefers }: ApiRequest): ApiResponse {
  const { status } = newTimeout("request did not complete within the allotted timeout");
  if (prefers === "values") return valueResponse(504, status);
  const { kind: _kind, apiVersion: _apiVersion, ...bare } = status;
  const body = `${JSON.stringify({ ...bare, details: bare.details ?? {} })}\n`;
  return bytesResponse(504, Buffer.from(body), { "content-type": "text/plain; charset=utf-8" });
}
