// Breaks off a stream that has been silent for too long, with a TransportError whose reason is `Silent`. A connection whose
// other end has vanished without a word looks just like one on which nothing happens; only time tells them apart.
//
// One timer for the whole stream: a chunk only notes when it came.
import { type ApiResponse, TransportError } from "../../api/transport.ts";
import { type Clock, onAbort } from "../../base/index.ts";

export interface SilenceOptions {
  readonly clock: Clock;
  readonly limitMs: number;
}

export function withSilenceLimit(response: ApiResponse, options: SilenceOptions): ApiResponse {
  if (response.body.kind !== "bytes") return response;
  const bytes = limitSilence(response.body.bytes, options, async () => response[Symbol.asyncDispose]());
  return { ...response, body: { kind: "bytes", bytes }, [Symbol.asyncDispose]: () => response[Symbol.asyncDispose]() };
}

async function* limitSilence(
  source: AsyncIterable<Uint8Array>,
  { clock: given, limitMs }: SilenceOptions,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const clock = given.labelled({ kind: "background", name: "watch silence" });
  const silence = new AbortController();
  // Undefined while the reader is busy: that is not the server's silence.
  let waitingSinceMs: number | undefined = clock.monotonic();
  let timer = clock.after(limitMs, check);
  function check() {
    const remainingMs = waitingSinceMs === undefined ? limitMs : waitingSinceMs + limitMs - clock.monotonic();
    if (remainingMs > 0) timer = clock.after(remainingMs, check);
    else
      silence.abort(new TransportError(`nothing was heard for ${limitMs} ms`, { reason: "Silent", wasSent: "maybe" }));
  }
  // Closing the response makes the read that waits below end.
  const watch = onAbort(silence.signal, () => void close());
  try {
    for await (const chunk of source) {
      waitingSinceMs = undefined;
      yield chunk;
      waitingSinceMs = clock.monotonic();
    }
    silence.signal.throwIfAborted();
  } catch (error) {
    silence.signal.throwIfAborted();
    throw error;
  } finally {
    watch[Symbol.dispose]();
    timer[Symbol.dispose]();
  }
}
