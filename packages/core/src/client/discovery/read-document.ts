// One GET of one small JSON document, from bytes or from a value. What an answer means is rest's to say (a refusal is thrown
// as the StatusError the server sent, or as one made from its code); the response is always let go of.
import { type ApiRequest, headerValue, noBody, type Transport } from "../../api/transport.ts";
import { readJson } from "../rest/answer.ts";

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** Of the version at hand; the server may then answer that nothing has changed. */
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
