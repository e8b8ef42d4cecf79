// The JSON of objects, made at most once each and kept for as long as the object is. Objects of this server begin with `kind` and
// `apiVersion`, in that order, so the form in which a list shows its items (without these two) is the end of the same bytes.
import type { KubernetesObject } from "@kubeloop/core/api";

const encoder = new TextEncoder();
const encodings = new WeakMap<object, Uint8Array>();

/** Of a frozen object: the bytes are kept. */
export function jsonOf(object: object): Uint8Array {
  const known = encodings.get(object);
  if (known !== undefined) return known;
  const bytes = encodeJson(object);
  encodings.set(object, bytes);
  return bytes;
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
