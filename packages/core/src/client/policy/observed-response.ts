// Observes the end of a response: its body was read to the end, failed, or was left. Reported once, whichever comes
// first. A body that is already complete ends immediately. The data is passed on unchanged.
import type { ApiResponse, ResponseBody } from "../../api/transport.ts";

/** `complete`: everything arrived. `broken`: reading failed. `left`: the reader stopped early. */
export type ResponseEnd = "complete" | "broken" | "left";

export interface ResponseObserver {
  /** Called with each chunk, before the reader gets it. */
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
      // Its two directions end separately; only disposing of the response ends both.
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

/** Not a generator, because a generator would queue `return` behind a waiting `next`. */
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
