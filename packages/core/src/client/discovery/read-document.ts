// One GET of one small JSON document, from bytes or from a value. A refusal is thrown as the StatusError the server
// sent, or as one made from its code; the response is always let go of.
import { newGenericServerResponse } from "../../api/generic-status.ts";
import { decodeStatus, StatusError } from "../../api/status-error.ts";
import { type ApiResponse, collectBytes, headerValue, noBody, type Transport } from "../../api/transport.ts";
import { KubeloopError } from "../../base/index.ts";

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** Of the version at hand; the server may then answer that nothing has changed. */
  readonly etag?: string | undefined;
}

export type DocumentAnswer =
  | { readonly kind: "unchanged" }
  | { readonly kind: "json"; readonly json: unknown; readonly etag: string | undefined };

// Thousands of CRDs make a few megabytes.
const maxBytes = 64 * 1024 * 1024;

export async function readDocument(
  transport: Transport,
  { path, accept, etag }: DocumentRequest,
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  const headers = { accept, ...(etag === undefined ? {} : { "if-none-match": etag }) };
  await using response = await transport(
    { method: "GET", path, query: [], headers, body: noBody, prefers: "values" },
    signal,
  );
  if (response.status === 304 && etag !== undefined) return { kind: "unchanged" };
  if (response.status < 200 || response.status > 299) throw await toStatusError(response);
  return { kind: "json", json: await readJson(response, path), etag: headerValue(response.headers, "etag") };
}

async function readJson(response: ApiResponse, path: string): Promise<unknown> {
  const { body } = response;
  if (body.kind === "value") return body.value;
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KubeloopError(`GET ${path}: the answer is no JSON`, { reason: "Decode", cause });
  }
}

async function toStatusError(response: ApiResponse): Promise<StatusError> {
  const { body, status: code, headers } = response;
  const text = body.kind === "value" ? "" : await readText(response);
  const status = decodeStatus(body.kind === "value" ? body.value : parsedOrText(text));
  if (status !== undefined) return new StatusError(status.code === undefined ? { ...status, code } : status);
  const retryAfterSeconds = Number(headerValue(headers, "retry-after") ?? 0);
  return newGenericServerResponse({
    code,
    method: "GET",
    serverMessage: text.trim(),
    isUnexpected: true,
    retryAfterSeconds: Number.isInteger(retryAfterSeconds) ? retryAfterSeconds : 0,
  });
}

async function readText({ body }: ApiResponse): Promise<string> {
  return body.kind === "bytes" ? new TextDecoder().decode(await collectBytes(body.bytes, { maxBytes })) : "";
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
