// An answer as the Transport hands it out: its bytes as they arrive, decompressed where the server compressed, read by one
// reader with back-pressure down to the socket, broken off with a TransportError when the connection breaks and with the
// signal's reason when that fires. Whoever stops early lets go of the stream, the timer and the signal.
import type { Readable } from "node:stream";
import { type ApiResponse, type HttpHeaders, headerValue, TransportError } from "../../api/transport.ts";
import { onAbort } from "../../base/index.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { SilenceLimit, type SilenceOptions } from "./silence-limit.ts";

export interface ResponseOptions {
  /** How long the body may be silent; for ever unless given. */
  readonly silence: SilenceOptions | undefined;
}

/** The answer's body ends with the reading, the signal, its disposal or silence. */
export async function toResponse(
  answer: HttpAnswer,
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
  const end = () => {
    watch[Symbol.dispose]();
    silence?.[Symbol.dispose]();
    answer.end();
    // The answer's own stream is the answer's to end.
    if (stream !== answer.stream) stream?.destroy();
  };
  const watch = onAbort(signal, end);
  try {
    stream = await decompressed(answer.stream, answer.headers);
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
  const bytes = readBody(stream, { answer, silence, throwIfEnded, end });
  return {
    status: answer.status,
    headers: answer.headers,
    body: { kind: "bytes", bytes },
    async [Symbol.asyncDispose]() {
      state = "disposed";
      end();
      await bytes.return(undefined).catch(() => {});
    },
  };
}

interface Reading {
  readonly answer: HttpAnswer;
  readonly silence: SilenceLimit | undefined;
  /** Says why it was ended here, if it was. */
  readonly throwIfEnded: () => void;
  readonly end: () => void;
}

async function* readBody(stream: Readable, reading: Reading): AsyncGenerator<Uint8Array> {
  const { answer, silence, throwIfEnded, end } = reading;
  try {
    silence?.wait();
    for await (const chunk of stream) {
      silence?.hear();
      yield chunk as Uint8Array;
      silence?.wait();
    }
    throwIfEnded();
    if (answer.isCutOff()) throw new Error("the connection was lost");
  } catch (cause) {
    throwIfEnded();
    if (isEmptyArchive(stream, cause) && !answer.isCutOff()) return;
    throw toTransportError(cause);
  } finally {
    end();
  }
}

function toTransportError(cause: unknown): TransportError {
  const { message, code = "" }: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
  const isMalformed = code.startsWith("Z_") && code !== "Z_BUF_ERROR";
  const reason = isMalformed ? "Decode" : cause instanceof TransportError ? cause.reason : "ConnectionLost";
  return new TransportError(`the answer broke off: ${message}`, { reason, wasSent: "maybe", cause });
}

/** Whether nothing came where gzip was announced, as after HEAD and with 304: then there was nothing to undo. */
function isEmptyArchive(stream: Readable, error: unknown): boolean {
  const isEnd = error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
  return isEnd && "bytesWritten" in stream && stream.bytesWritten === 0;
}

/** Undoes the answer's content-encoding. */
async function decompressed(stream: Readable, headers: HttpHeaders): Promise<Readable> {
  const encoding = headerValue(headers, "content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return stream;
  if (encoding !== "gzip") {
    throw new TransportError(`the server sent content-encoding "${encoding}", which nobody asked for`, {
      reason: "Decode",
      wasSent: "maybe",
    });
  }
  const { createGunzip } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  // pipeline hands errors of either side to the reader and destroys the other.
  return pipeline(stream, createGunzip(), () => {});
}
