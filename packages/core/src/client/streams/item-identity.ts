// What the items of a list are: servers leave their `kind` and `apiVersion` out there.

export interface ItemIdentity {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The kind of a list's items. Undefined when its own does not tell: mixed lists, and custom ones with names of their own. */
export function itemKindOf(listKind: string): string | undefined {
  return listKind.endsWith("List") && listKind !== "List" ? listKind.slice(0, -"List".length) : undefined;
}
