// The JSON of objects, made at most once each and kept for as long as the object is. Objects of this server begin with `kind` and
// `apiVersion`, in that order, so the form in which a list shows its items (without these two) is the end of the same bytes.
import type { KubernetesObject } from "@kubeloop/core/api";

const encoder = new TextEncoder();
/** With a line break behind them: alone, objects are sent as lines. */
const lines = new WeakMap<object, Uint8Array>();

/** Of a frozen object, and a line break: the bytes are kept. */
export function jsonLineOf(object: object): Uint8Array {
  const known = lines.get(object);
  if (known !== undefined) return known;
  const line = Buffer.from(`${JSON.stringify(object)}\n`, "utf8");
  lines.set(object, line);
  return line;
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
