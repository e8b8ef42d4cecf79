// `/openapi/v3`: an index with hashed addresses, and a document per group and version, as a real 1.36 server gives them. The texts are kept
// packed and put together when first asked for; nothing is parsed but names.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type ApiRequest, type ApiResponse, bytesResponse, queryValue } from "@kubeloop/core/api";
import { type Clock, inFlight } from "@kubeloop/core/base";
import { answerOpenApiV2 } from "./openapi-v2.ts";

interface Packed {
  readonly schemas: Readonly<Record<string, string>>;
  readonly documents: Readonly<Record<string, PackedDocument>>;
}

interface PackedDocument {
  readonly head: string;
  readonly paths: string;
  readonly components: string;
  readonly schemas: readonly string[];
}

interface OpenApiDocument {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

let documents: Promise<ReadonlyMap<string, OpenApiDocument>> | undefined;

/** Unpacked on a thread of the platform's; what is left to do here is joining texts. */
async function loadDocuments(clock: Clock): Promise<ReadonlyMap<string, OpenApiDocument>> {
  const { openApiDocuments } = await import("../generated/openapi-documents.ts");
  const unpacked = await promisify(brotliDecompress)(Buffer.from(openApiDocuments, "base64"));
  const { schemas, documents: packed } = JSON.parse(unpacked.toString("utf8")) as Packed;
  const all = new Map<string, OpenApiDocument>();
  for (const [path, document] of Object.entries(packed)) {
    all.set(path, joined(document, schemas));
    // Some are more than a megabyte: one a turn.
    await clock.yield();
  }
  return all;
}

function joined({ head, paths, components, schemas }: PackedDocument, texts: Packed["schemas"]): OpenApiDocument {
  const own = schemas.map((name) => `${JSON.stringify(name.split(" ")[0])}:${texts[name] ?? "{}"}`).join(",");
  const others = components === "{}" ? "" : `,${components.slice(1, -1)}`;
  const body = `${head.slice(0, -1)},"paths":${paths},"components":{"schemas":{${own}}${others}}}`;
  const bytes = Buffer.from(body, "utf8");
  return { bytes, hash: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
}

/** `segments` are those after /openapi. */
export async function answerOpenApi(
  request: ApiRequest,
  segments: readonly string[],
  clock: Clock,
): Promise<ApiResponse | undefined> {
  if (segments[0] === "v2" && segments.length === 1) return answerOpenApiV2(request);
  if (segments[0] !== "v3") return undefined;
  documents ??= loadDocuments(clock);
  const loading = documents;
  const all = await inFlight(clock, "unpacking openapi", () => loading);
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

function index(all: ReadonlyMap<string, OpenApiDocument>): ApiResponse {
  const paths = Object.fromEntries(
    [...all].map(([path, { hash }]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]),
  );
  return bytesResponse(200, Buffer.from(JSON.stringify({ paths })), { "content-type": "text/plain; charset=utf-8" });
}
