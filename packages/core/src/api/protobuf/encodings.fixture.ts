// Objects of all kinds that a default server serves, with the bytes that Kubernetes 1.36's own encoder makes of them: of each kind
// one that says nothing, and as many as it takes for every field to be there once. Strings, numbers and fields were drawn at random.
import { brotliDecompressSync } from "node:zlib";

export interface Encoding {
  readonly object: { readonly kind: string; readonly apiVersion: string; readonly [field: string]: unknown };
  readonly bytes: Uint8Array;
}

/** Where they are. Tests read the file, because a pure layer reads none. */
export const encodingsFile = new URL("./encodings.facts.json.br", import.meta.url);

/** One JSON object a line; the bytes stand there as Latin-1. */
export function parseEncodings(file: Uint8Array): readonly Encoding[] {
  const lines = brotliDecompressSync(file).toString("utf8").split("\n");
  return lines.map((line) => {
    const { object, bytes } = JSON.parse(line) as { readonly object: Encoding["object"]; readonly bytes: string };
    return { object, bytes: Buffer.from(bytes, "latin1") };
  });
}

/** The last is a quantity of nothing. */
const zeros = new Set<unknown>([null, "", 0, false, "0"]);

/** As JSON without what Go's zero values are: what is left of an object wherever fields are held by value. */
export function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => withoutZeros(item) ?? null);
  if (typeof value === "object" && value !== null) {
    const kept = Object.entries(value)
      .map(([key, child]) => [key, withoutZeros(child)] as const)
      .filter(([, child]) => child !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
  return zeros.has(value) ? undefined : value;
}
