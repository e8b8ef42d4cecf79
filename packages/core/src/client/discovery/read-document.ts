// GETs one small JSON document, from bytes or from a value. rest/read-response.ts interprets the response (an error status is thrown
// as the StatusError that the server sent, or one made from its code); the response is always disposed of.
import { type ApiRequest, headerValue, noBody, type Transport } from "../../api/transport.ts";
import { readJson } from "../rest/read-response.ts";

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** The ETag of the cached document; the server may then answer 304. */
  readonly etag?: string | undefined;
}

export type DocumentAnswer =
  | { readonly kind: "unchanged" }
  | { readonly kind: "json"; readonly json: unknown; readonly etag: string | undefined };

export async function readDocument(
  transport: Transport,
  { path, accept, etag }: DocumentRequest,
  signal: AbortSignal,
): Promise<DocumentAnswer> {
  const headers = { accept, ...(etag === undefined ? {} : { "if-none-match": etag }) };
  const request: ApiRequest = { method: "GET", path, query: [], headers, body: noBody, prefers: "values" };
  await using response = await transport(request, signal);
  if (response.status === 304 && etag !== undefined) return { kind: "unchanged" };
  return { kind: "json", json: await readJson(response, { request }), etag: headerValue(response.headers, "etag") };
}
