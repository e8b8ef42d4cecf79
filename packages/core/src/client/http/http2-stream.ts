// One exchange on an HTTP/2 connection: sends a request and waits for the head of its response. For Node, a stream that the
// server cut off has ended normally; only its reset code shows the difference.
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { TransportError } from "../../api/transport.ts";
import { onAbort } from "../../base/index.ts";
import { type HttpExchange, type HttpResponse, toLists, withoutUndefined } from "./http-exchange.ts";
import type { Http2Connection } from "./http2-connection.ts";

export async function sendOn(
  connection: Http2Connection,
  exchange: HttpExchange,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { method, path, headers, body } = exchange;
  const outgoing = toLists(headers);
  outgoing[":method"] = method;
  outgoing[":path"] = path;
  let stream: ClientHttp2Stream;
  try {
    stream = connection.request(outgoing, { endStream: body === undefined });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (connection.isLost) {
      throw new TransportError(`no answer: ${message}`, { reason: "ConnectionLost", wasSent: "no", cause });
    }
    throw new TransportError(`not a request: ${message}`, { reason: "Invalid", wasSent: "no", cause });
  }
  const answered = await headOf(stream, body, signal);
  return {
    protocol: "h2",
    status: Number(answered[":status"]),
    headers: withoutUndefined(answered),
    stream,
    isCutOff: () => stream.rstCode !== 0,
    end: () => cancel(stream),
  };
}

function headOf(
  stream: ClientHttp2Stream,
  body: HttpExchange["body"],
  signal: AbortSignal,
): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    let error: Error | undefined;
    let watch: Disposable | undefined;
    const settle = (finish: () => void) => {
      watch?.[Symbol.dispose]();
      stream.off("response", answered).off("close", closed);
      finish();
    };
    const answered = (headers: IncomingHttpHeaders) => settle(() => resolve(headers));
    const closed = () => settle(() => reject(toTransportError(stream, error)));
    // Also after the response has begun: the reader gets the error through the stream itself.
    stream.on("error", (cause: Error) => {
      error = cause;
    });
    stream.on("response", answered).on("close", closed);
    watch = onAbort(signal, (reason) =>
      settle(() => {
        cancel(stream);
        reject(reason);
      }),
    );
    if (signal.aborted || body === undefined) return;
    if (body instanceof Uint8Array) stream.end(body);
    else void sendAll(body, stream);
  });
}

const cancelled = 8; // NGHTTP2_CANCEL
const refusedStream = 7; // NGHTTP2_REFUSED_STREAM

/**
 * A stream that has ended on both sides closes by itself and is not reset: a reset would count against the client, and servers
 * disconnect clients that send many.
 */
function cancel(stream: ClientHttp2Stream): void {
  if (stream.readableEnded && stream.writableFinished) return;
  if (!stream.closed) stream.close(cancelled);
  stream.destroy();
}

function toTransportError(stream: ClientHttp2Stream, cause: Error | undefined): TransportError {
  const isUnseen = stream.pending || stream.id === undefined || stream.rstCode === refusedStream;
  const message = cause?.message ?? `the server ended the stream with code ${stream.rstCode}`;
  const reason = cause instanceof TransportError ? cause.reason : "ConnectionLost";
  return new TransportError(`no answer: ${message}`, { reason, wasSent: isUnseen ? "no" : "maybe", cause });
}

async function sendAll(body: AsyncIterable<Uint8Array>, stream: ClientHttp2Stream): Promise<void> {
  try {
    for await (const chunk of body) {
      if (stream.destroyed) return;
      if (!stream.write(chunk)) await untilDrained(stream);
    }
    stream.end();
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function untilDrained(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stream.off("drain", go).off("close", go);
      resolve();
    };
    stream.on("drain", go).on("close", go);
  });
}
