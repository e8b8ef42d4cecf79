// The JSON of objects, made once for many readers (storage/encodings.ts says how long it is kept). Objects of this server begin with `kind`
// and `apiVersion`, in that order, so the form in which a list shows its items (without these two) is the end of the same bytes.
import type { KubernetesObject } from "@kubeloop/core/api";
import { encodingOf } from "../storage/encodings.ts";

const encoder = new TextEncoder();

/** Of a frozen object, and a line break, because alone objects are sent as lines: the bytes are kept. */
export function jsonLineOf(object: object): Uint8Array {
  return encodingOf(object, "json", () => Buffer.from(`${JSON.stringify(object)}\n`, "utf8"));
}

/** Of a frozen object: the bytes are kept. */
export function jsonOf(object: object): Uint8Array {
  return jsonLineOf(object).subarray(0, -1);
}

/** Of anything, once. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}

/** The object's JSON after `{"kind":"…","apiVersion":"…",`: without the brace it would begin with. */
export function jsonAfterKind(object: KubernetesObject): Uint8Array {
  const bytes = jsonOf(object);
  return bytes.subarray(prefixLength(object));
}

const prefixLengths = new Map<string, number>();

function prefixLength({ kind, apiVersion }: KubernetesObject): number {
  const id = `${apiVersion} ${kind}`;
  let length = prefixLengths.get(id);
  if (length === undefined) {
    length = encoder.encode(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`).length;
    prefixLengths.set(id, length);
  }
  return length;
}
