// The response of a Transport: its bytes as they arrive, decompressed if necessary, for one reader, with back-pressure down to
// the socket. Reading fails with a TransportError when the connection breaks and with the signal's reason when it aborts. A reader
// that stops early releases the stream, the timer and the signal.
import type { Readable } from "node:stream";
import { type ApiResponse, headerValue, TransportError } from "../../api/transport.ts";
import { onAbort } from "../../base/index.ts";
import type { HttpResponse } from "./http-exchange.ts";
import { SilenceLimit, type SilenceOptions } from "./silence-limit.ts";

export interface ResponseOptions {
  /** How long the body may be silent. Default: no limit. */
  readonly silence: SilenceOptions | undefined;
}

/** The body ends when it was read to its end, aborted, disposed of, or silent for too long. */
export async function toResponse(
  answer: HttpResponse,
  options: ResponseOptions,
  signal: AbortSignal,
): Promise<ApiResponse> {
  if (signal.aborted) {
    answer.end();
    throw signal.reason;
  }
  let stream: Readable | undefined;
  let state: "open" | "disposed" = "open";
  const silence = options.silence === undefined ? undefined : new SilenceLimit(options.silence, () => end());
  let isEnded = false;
  const end = () => {
    isEnded = true;
    watch[Symbol.dispose]();
    silence?.[Symbol.dispose]();
    answer.end();
    // `answer.end` ends the answer's own stream; only a decompressing stream is left to destroy.
    if (stream !== answer.stream) stream?.destroy();
  };
  const watch = onAbort(signal, end);
  const encoding = headerValue(answer.headers, "content-encoding");
  try {
    stream = encoding === undefined ? answer.stream : await decompressed(answer.stream, encoding.toLowerCase());
  } catch (error) {
    end();
    throw error;
  }
  const throwIfEnded = () => {
    signal.throwIfAborted();
    silence?.throwIfSilent();
    if (state === "disposed") {
      throw new TransportError("the answer was disposed of while it was read", { reason: "Closed", wasSent: "maybe" });
    }
  };
  const bytes = new BodyReader(stream, { answer, silence, throwIfEnded, isEnded: () => isEnded, end });
  return {
    status: answer.status,
    headers: answer.headers,
    body: { kind: "bytes", bytes },
    async [Symbol.asyncDispose]() {
      state = "disposed";
      end();
      await bytes.return();
    },
  };
}

interface Reading {
  readonly answer: HttpResponse;
  readonly silence: SilenceLimit | undefined;
  /** Throws the reason if the response was ended on this side. */
  readonly throwIfEnded: () => void;
  readonly isEnded: () => boolean;
  readonly end: () => void;
}

type Ending = { readonly how: "well" } | { readonly how: "badly"; readonly cause: unknown };

const ended = { done: true, value: undefined } as const;
/** How many bytes may wait for a slow reader before the stream is paused; less than one HTTP/2 window. */
const maxBufferedBytes = 64 * 1024;

/**
 * Reads a stream through its events. `for await` over a Readable does the same with an iterator, a generator and an end-of-stream listener
 * per response, which together cost as much as parsing the object in it.
 */
class BodyReader implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: Readable;
  readonly #reading: Reading;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #ending: Ending | undefined;
  #state: "new" | "reading" | "over" = "new";
  #wake: (() => void) | undefined;

  constructor(stream: Readable, reading: Reading) {
    this.#stream = stream;
    this.#reading = reading;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#state === "over") return ended;
    if (this.#state === "new") this.#begin();
    if (this.#waiting.length === 0 && this.#ending === undefined) {
      const { silence } = this.#reading;
      silence?.wait();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      silence?.hear();
    }
    // Chunks that still wait after the read was ended on this side are dropped.
    const chunk = this.#reading.isEnded() ? undefined : this.#waiting.shift();
    if (chunk === undefined) return this.#finish(this.#ending ?? { how: "well" });
    this.#waitingBytes -= chunk.length;
    if (this.#waitingBytes === 0 && this.#stream.isPaused()) this.#stream.resume();
    return { done: false, value: chunk };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#state === "over") return ended;
    this.#reading.end();
    // A read that still waits gets an error, because an end would look like a complete body.
    if (this.#wake === undefined) this.#state = "over";
    else this.#settle({ how: "badly", cause: prematureClose() });
    return ended;
  }

  #begin(): void {
    this.#state = "reading";
    const stream = this.#stream;
    // Events from before are not emitted again, so check the stream's state.
    if (stream.errored) this.#settle({ how: "badly", cause: stream.errored });
    else if (stream.readableEnded) this.#settle({ how: "well" });
    else if (stream.destroyed) this.#settle({ how: "badly", cause: prematureClose() });
    stream.on("error", (cause: Error) => this.#settle({ how: "badly", cause }));
    if (this.#ending !== undefined) return;
    stream.on("end", () => this.#settle({ how: "well" }));
    stream.on("close", () => {
      if (this.#ending === undefined) this.#settle({ how: "badly", cause: prematureClose() });
    });
    stream.on("data", (chunk: Uint8Array) => this.#take(chunk));
  }

  #take(chunk: Uint8Array): void {
    if (this.#state === "over") return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#wake !== undefined) this.#wakeUp();
    else if (this.#waitingBytes >= maxBufferedBytes) this.#stream.pause();
  }

  /** The first ending counts. */
  #settle(ending: Ending): void {
    this.#ending ??= ending;
    this.#wakeUp();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #finish(ending: Ending): IteratorResult<Uint8Array, undefined> {
    const { answer, throwIfEnded, end } = this.#reading;
    this.#state = "over";
    try {
      throwIfEnded();
      if (ending.how === "badly" && !(isEmptyArchive(this.#stream, ending.cause) && !answer.isCutOff())) {
        throw toTransportError(ending.cause);
      }
      if (ending.how === "well" && answer.isCutOff()) throw toTransportError(new Error("the connection was lost"));
      return ended;
    } finally {
      end();
    }
  }
}

function prematureClose(): Error {
  return new Error("Premature close");
}

function toTransportError(cause: unknown): TransportError {
  const { message, code = "" }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
  const isMalformed = code.startsWith("Z_") && code !== "Z_BUF_ERROR";
  const reason = isMalformed ? "Decode" : cause instanceof TransportError ? cause.reason : "ConnectionLost";
  return new TransportError(`the answer broke off: ${message}`, { reason, wasSent: "maybe", cause });
}

/** Whether an empty body was announced as gzip, as after HEAD and with 304: then there is nothing to decompress. */
function isEmptyArchive(stream: Readable, error: unknown): boolean {
  const isEnd = error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
  return isEnd && "bytesWritten" in stream && stream.bytesWritten === 0;
}

/** Decompresses the body by its content-encoding. */
async function decompressed(stream: Readable, encoding: string): Promise<Readable> {
  if (encoding === "identity" || encoding === "") return stream;
  if (encoding !== "gzip") {
    throw new TransportError(`the server sent content-encoding "${encoding}", which was not requested`, {
      reason: "Decode",
      wasSent: "maybe",
    });
  }
  const { createGunzip } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  // pipeline forwards errors of either side to the reader and destroys the other side.
  return pipeline(stream, createGunzip(), () => {});
}
