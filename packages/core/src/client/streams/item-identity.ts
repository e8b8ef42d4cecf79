// Gives the items of a list the `kind` and `apiVersion` that servers leave out there. They are written in front of the
// item's text before it is parsed, so that the object gets the same keys in the same order, and in V8 the same hidden
// class, as the one that a watch or a get yields; adding them afterwards would copy every item.
//
// An item's own kind and apiVersion win: of two equal keys JSON.parse keeps the later value.

export interface ItemIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/** What to write in front of an item, from `{` to the comma after the identity. Undefined when not all of it is known. */
export function toItemPrefix({ kind, apiVersion }: Partial<ItemIdentity>): string | undefined {
  if (kind === undefined || apiVersion === undefined) return undefined;
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** Parses an item; throws JSON.parse's error about `text` itself. */
export function parseItem(text: string, prefix: string | undefined): unknown {
  if (prefix === undefined || text.startsWith('{"kind":') || text.startsWith('{"apiVersion":')) return JSON.parse(text);
  try {
    return JSON.parse(prefix + text.slice(1));
  } catch {
    // `{}` with a prefix ends in a comma; anything else fails again, with positions that fit.
    return JSON.parse(text);
  }
}

/** The kind of a list's items. Undefined when its own does not tell: mixed lists, and custom ones with names of their own. */
export function itemKindOf(listKind: string): string | undefined {
  return listKind.endsWith("List") && listKind !== "List" ? listKind.slice(0, -"List".length) : undefined;
}
