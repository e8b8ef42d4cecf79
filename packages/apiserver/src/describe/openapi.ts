// `/openapi/v3`: an index with hashed addresses, and a document per group and version, as a real 1.36 server gives them.
import { type ApiRequest, type ApiResponse, bytesResponse, queryValue } from "@kubeloop/core/api";
import type { OpenApiDocuments, OpenApiDocumentsByPath } from "./openapi-documents.ts";
import { answerOpenApiV2 } from "./openapi-v2.ts";

/** `segments` are those after /openapi. */
export async function answerOpenApi(
  request: ApiRequest,
  segments: readonly string[],
  documents: OpenApiDocuments,
): Promise<ApiResponse | undefined> {
  if (segments[0] === "v2" && segments.length === 1) return answerOpenApiV2(request);
  if (segments[0] !== "v3") return undefined;
  const all = await documents.all();
  const path = segments.slice(1).join("/");
  if (path === "") return index(all);
  const document = all.get(path);
  if (document === undefined) return bytesResponse(404, new Uint8Array());
  const asked = queryValue(request.query, "hash");
  const headers = {
    "content-type": "application/json",
    etag: `"${document.hash}"`,
    vary: "Accept",
  };
  if (asked === undefined || asked === "") return bytesResponse(200, document.bytes, headers);
  if (asked !== document.hash) {
    const location = `/openapi/v3/${path}?hash=${document.hash}`;
    return bytesResponse(301, new Uint8Array(), { location });
  }
  // A hash names these very bytes: whoever has them never needs to ask again.
  return bytesResponse(200, document.bytes, { ...headers, "cache-control": "public, immutable" });
}

function index(all: OpenApiDocumentsByPath): ApiResponse {
  const paths = Object.fromEntries(
    [...all].map(([path, { hash }]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]),
  );
  return bytesResponse(200, Buffer.from(JSON.stringify({ paths })), { "content-type": "text/plain; charset=utf-8" });
}
