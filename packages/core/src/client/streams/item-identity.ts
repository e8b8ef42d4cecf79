// The kind and apiVersion of list items, which servers leave out.

export interface ItemIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Returns the kind of a list's items. Undefined if the list's kind does not imply it: mixed lists, and custom list kinds. */
export function itemKindOf(listKind: string): string | undefined {
  return listKind.endsWith("List") && listKind !== "List" ? listKind.slice(0, -"List".length) : undefined;
}
