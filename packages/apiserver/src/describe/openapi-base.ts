// The OpenAPI v3 documents of a default 1.36 server, which come with this one. They are kept packed and put together when first asked for; nothing is
// parsed but names. They never change, so all servers of a process share them.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type Clock, inFlight } from "@kubeloop/core/base";

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

export interface OpenApiDocument {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

export interface BaseDocument extends OpenApiDocument {
  /** As JSON, by path. */
  readonly paths: string;
  /** The same document with other paths, and with these schemas besides. */
  withPaths(paths: object, schemas: Readonly<Record<string, object>>): OpenApiDocument;
}

/** By path: `api/v1`, `apis/apps`, `apis/apps/v1`, `version`. */
export type BaseDocuments = ReadonlyMap<string, BaseDocument>;

let documents: Promise<BaseDocuments> | undefined;

export function baseDocuments(clock: Clock): Promise<BaseDocuments> {
  documents ??= loadDocuments(clock);
  const loading = documents;
  return inFlight(clock, "unpacking openapi", () => loading);
}

/** Unpacked on a thread of the platform's; what is left to do here is joining texts. */
async function loadDocuments(clock: Clock): Promise<BaseDocuments> {
  const { openApiDocuments } = await import("../generated/openapi-documents.ts");
  const unpacked = await promisify(brotliDecompress)(Buffer.from(openApiDocuments, "base64"));
  const { schemas, documents: packed } = JSON.parse(unpacked.toString("utf8")) as Packed;
  const all = new Map<string, BaseDocument>();
  for (const [path, document] of Object.entries(packed)) {
    all.set(path, baseDocument(document, schemas));
    // Some are more than a megabyte: one a turn.
    await clock.yield();
  }
  return all;
}

function baseDocument(document: PackedDocument, texts: Packed["schemas"]): BaseDocument {
  const { paths } = document;
  return {
    ...joined(document, paths, schemasOf(document, texts)),
    paths,
    withPaths(other, more) {
      const own = Object.entries(more).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
      return joined(document, JSON.stringify(other), [...schemasOf(document, texts), ...own]);
    },
  };
}

const schemasOf = ({ schemas }: PackedDocument, texts: Packed["schemas"]) =>
  schemas.map((name) => `${JSON.stringify(name.split(" ")[0])}:${texts[name] ?? "{}"}`);

function joined(
  { head, components }: Pick<PackedDocument, "head" | "components">,
  paths: string,
  schemas: readonly string[],
): OpenApiDocument {
  const others = components === "{}" ? "" : `,${components.slice(1, -1)}`;
  return hashed(`${head.slice(0, -1)},"paths":${paths},"components":{"schemas":{${schemas.join(",")}}${others}}}`);
}

export function hashed(text: string): OpenApiDocument {
  const bytes = Buffer.from(text, "utf8");
  return { bytes, hash: createHash("sha512").update(bytes).digest("hex").toUpperCase() };
}
