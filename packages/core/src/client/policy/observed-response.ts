// A response that tells when it is over: its body was read to the end, broke off, or was left. Told once, whichever comes
// first. Bodies that are there as a whole are over at once. What is read is handed on untouched.
import type { ApiResponse, ResponseBody } from "../../api/transport.ts";

/** `complete`: everything arrived. `broken`: reading failed. `left`: the reader wanted no more. */
export type ResponseEnd = "complete" | "broken" | "left";

export interface ResponseObserver {
  /** Each chunk of bytes, before the reader gets it. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  readonly onEnd: (end: ResponseEnd) => void;
}

export function observeResponse(response: ApiResponse, observer: ResponseObserver): ApiResponse {
  let isOver = false;
  const end = (how: ResponseEnd) => {
    if (isOver) return;
    isOver = true;
    observer.onEnd(how);
  };
  const { status, headers, body } = response;
  return {
    status,
    headers,
    body: observeBody(body, observer, end),
    async [Symbol.asyncDispose]() {
      end("left");
      await response[Symbol.asyncDispose]();
    },
  };
}

function observeBody(body: ResponseBody, observer: ResponseObserver, end: (how: ResponseEnd) => void): ResponseBody {
  switch (body.kind) {
    case "bytes":
      return { kind: "bytes", bytes: observeStream(body.bytes, observer.onBytes, end) };
    case "values":
      return { kind: "values", values: observeStream(body.values, undefined, end) };
    case "none":
    case "value":
      end("complete");
      return body;
    case "upgraded":
      // Its two directions end apart; only disposing of the response ends both.
      return body;
  }
}

function observeStream<T>(
  stream: AsyncIterable<T>,
  onItem: ((item: T) => void) | undefined,
  end: (how: ResponseEnd) => void,
): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => observeIterator(stream[Symbol.asyncIterator](), onItem, end) };
}

/** By hand, not as a generator, which would queue a `return` behind a `next` that waits. */
function observeIterator<T>(
  inner: AsyncIterator<T>,
  onItem: ((item: T) => void) | undefined,
  end: (how: ResponseEnd) => void,
): AsyncIterator<T, undefined> {
  return {
    async next() {
      try {
        const next = await inner.next();
        if (next.done !== true) {
          onItem?.(next.value);
          return next;
        }
        end("complete");
        return { done: true, value: undefined };
      } catch (error) {
        end("broken");
        throw error;
      }
    },
    async return() {
      end("left");
      await inner.return?.();
      return { done: true, value: undefined };
    },
  };
}
