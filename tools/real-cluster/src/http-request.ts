// One HTTP request with its whole answer, over TLS or a Unix socket. No pool, no redirects, no retries: a status is an
// answer, only a connection that fails throws. Made for probes and smoke tests, not a client.
import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";

export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The Unix socket to connect to, instead of the URL's host and port. */
  readonly socketPath?: string;
  readonly caPem?: string;
  /** A client certificate with its key. */
  readonly certPem?: string;
  readonly keyPem?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export function sendRequest(wanted: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = open(wanted, signal);
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    sent.on("response", (response) => readWhole(response).then(resolve, reject));
    sent.end(wanted.body === undefined ? undefined : JSON.stringify(wanted.body));
  });
}

function open(wanted: HttpRequest, signal: AbortSignal): ClientRequest {
  const { url, method = "GET", headers = {}, body, socketPath, caPem, certPem, keyPem } = wanted;
  const options = {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    agent: false as const,
    signal,
    ...(socketPath === undefined ? {} : { socketPath }),
  };
  if (url.startsWith("http:")) return requestPlain(url, options);
  return requestTls(url, {
    ...options,
    ...(caPem === undefined ? {} : { ca: caPem }),
    ...(certPem === undefined ? {} : { cert: certPem }),
    ...(keyPem === undefined ? {} : { key: keyPem }),
  });
}

async function readWhole(response: IncomingMessage): Promise<HttpAnswer> {
  let body = "";
  for await (const text of response.setEncoding("utf8")) body += text;
  return { status: response.statusCode ?? 0, body };
}
