// Where the generator's documents come from: the copies in this repository, files the user names, or a server. Protobuf
// numbers and the facts of Go's types no server tells: they are always the copies.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import type { GeneratorInputs } from "./generate.ts";
import { GenerateError } from "./generate-error.ts";
import type { ServerInputs } from "./generate-server.ts";
import type { GenerateOptions } from "./options.ts";
import { readServer } from "./server.ts";

const kept = (name: string): string =>
  fileURLToPath(new URL(`../data/kubernetes-1.36-${name}.json.br`, import.meta.url));

export async function readInputs(
  options: Pick<GenerateOptions, "openapi" | "discovery" | "server" | "tokenFile" | "ca"> = nothingAsked,
): Promise<GeneratorInputs> {
  const [protobuf, goFields] = await Promise.all([readJson(kept("protobuf")), readJson(kept("go-fields"))]);
  if (options.server !== undefined) return { ...(await readServer(options.server, options)), protobuf, goFields };
  const [openapi, discovery] = await Promise.all([
    readJson(options.openapi ?? kept("openapi-v3")),
    readJson(options.discovery ?? kept("discovery")),
  ]);
  return { openapi, discovery, protobuf, goFields };
}

/** For the embedded server: always the copies, which fit each other. */
export async function readServerInputs(): Promise<ServerInputs> {
  const [tableColumns, bootstrapObjects, openapi] = await Promise.all([
    readJson(kept("table-columns")),
    readJson(kept("bootstrap-objects")),
    readJson(kept("served-openapi-v3")),
  ]);
  return { tableColumns, bootstrapObjects, openapi };
}

/** For the controllers: the Go structs of a pod template. */
export function readGoStructs(): Promise<unknown> {
  return readJson(kept("pod-template-structs"));
}

const nothingAsked = {
  openapi: undefined,
  discovery: undefined,
  server: undefined,
  tokenFile: undefined,
  ca: undefined,
};

async function readJson(path: string): Promise<unknown> {
  try {
    const bytes = await readFile(path);
    return JSON.parse((path.endsWith(".br") ? brotliDecompressSync(bytes) : bytes).toString("utf8"));
  } catch (error) {
    throw new GenerateError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
