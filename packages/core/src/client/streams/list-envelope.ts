// The top level of a list without its items: kind, apiVersion and metadata. Shared by lists of bytes and
// lists of values.
import type { ListMeta } from "../../api/generated/types/meta/v1.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../api/json-value.ts";
import { decodeStatus, StatusError } from "../../api/status-error.ts";
import { ListDecodeError } from "./decode-errors.ts";
import { type ItemIdentity, itemKindOf } from "./item-identity.ts";

/** Returns kind and apiVersion of the items. The list's own fields override the caller's. */
export function itemIdentity(envelope: JsonObject, given: Partial<ItemIdentity>): Partial<ItemIdentity> {
  const listKind = ownValue(envelope, "kind");
  const listVersion = ownValue(envelope, "apiVersion");
  const kind = (typeof listKind === "string" ? itemKindOf(listKind) : undefined) ?? given.kind;
  const apiVersion = typeof listVersion === "string" ? listVersion : given.apiVersion;
  return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) };
}

/** Throws a StatusError if the server sent a Status, and a ListDecodeError for anything else that is not a list. */
export function checkIsList(envelope: JsonObject, { hasItems }: { readonly hasItems: boolean }): void {
  const kind = ownValue(envelope, "kind");
  const status = kind === "Status" ? decodeStatus(envelope) : undefined;
  if (status !== undefined) throw new StatusError(status);
  // Go omits an empty list if the field is marked omitempty.
  if (hasItems || (typeof kind === "string" && kind.endsWith("List"))) return;
  throw fault(`not a list: no items, and its kind is ${JSON.stringify(kind)}`);
}

const fields = { resourceVersion: "string", continue: "string", remainingItemCount: "number" } as const;

/** Checks the types of the fields that paging and watching use. Absent metadata is empty. */
export function decodeListMeta(envelope: JsonObject): ListMeta {
  const metadata = ownValue(envelope, "metadata") ?? {};
  if (!isJsonObject(metadata)) throw fault("metadata is not an object");
  for (const [field, type] of Object.entries(fields)) {
    const value = ownValue(metadata, field) ?? undefined;
    if (value !== undefined && typeof value !== type) throw fault(`metadata.${field} is not a ${type}`);
  }
  return metadata as ListMeta;
}

function fault(what: string): ListDecodeError {
  return new ListDecodeError(what, { reason: "Decode", position: 0 });
}
