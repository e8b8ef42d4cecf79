// The bytes of an answer as they arrive: decompressed where the server compressed, read by one reader with back-pressure
// down to the socket, broken off with a TransportError when the connection breaks and with the signal's reason when that
// fires. Whoever stops early lets go of the stream.
import type { Readable } from "node:stream";
import type { HttpHeaders } from "../../api/transport.ts";
import { headerValue, TransportError } from "../../api/transport.ts";

/** Undoes the answer's content-encoding. */
export async function decompressed(stream: Readable, headers: HttpHeaders): Promise<Readable> {
  const encoding = headerValue(headers, "content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return stream;
  if (encoding !== "gzip") {
    stream.destroy();
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

/** The stream's chunks. `end` runs once reading ends, however it does. */
export async function* readBody(stream: Readable, signal: AbortSignal, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
    signal.throwIfAborted();
  } catch (cause) {
    signal.throwIfAborted();
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new TransportError(`the answer broke off: ${message}`, { reason: "ConnectionLost", wasSent: "maybe", cause });
  } finally {
    end();
  }
}
