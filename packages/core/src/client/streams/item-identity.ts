// Gives the items of a list the `kind` and `apiVersion` that servers leave out there. They are written in front of the
// item's text before it is parsed, so that the object gets the same keys in the same order, and in V8 the same hidden
// class, as the one that a watch or a get yields; adding them afterwards would copy every item.
//
// An item's own kind and apiVersion win: of two equal keys JSON.parse keeps the later value.
import { Buffer } from "node:buffer";
import { maxPrefixBytes } from "./value-cutter.ts";

export interface ItemIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * What to write in place of an item's `{`, up to the comma after the identity. Undefined when the identity is not known, or
 * not of the usual letters and length: then it is added to the object.
 */
export function toItemPrefix({ kind, apiVersion }: Partial<ItemIdentity>): Buffer | undefined {
  if (kind === undefined || apiVersion === undefined) return undefined;
  const text = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  return /^[\x20-\x7e]*$/.test(text) && text.length <= maxPrefixBytes ? Buffer.from(text) : undefined;
}

/** Whether an item says first what it is, as custom resources do; then so do the others of its list. */
export function hasOwnIdentity(item: string): boolean {
  return item.startsWith('{"kind":') || item.startsWith('{"apiVersion":');
}

/** The kind of a list's items. Undefined when its own does not tell: mixed lists, and custom ones with names of their own. */
export function itemKindOf(listKind: string): string | undefined {
  return listKind.endsWith("List") && listKind !== "List" ? listKind.slice(0, -"List".length) : undefined;
}
