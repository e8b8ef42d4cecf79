// Looks up in the schema how a field is patched. Inside any-JSON values nothing is known: objects merge, lists are
// replaced. As upstream, a field that is not in the schema is an error, because its strategy must not be guessed;
// except where the schema preserves unknown fields.
import type { PathPart, TypeSchema } from "../schema.ts";
import { StrategicMergeError } from "./patch-error.ts";

export interface PatchMeta {
  readonly schema: TypeSchema | undefined;
  /** If undefined, lists are replaced and objects merged. */
  readonly strategy: "merge" | "replace" | undefined;
  readonly retainsKeys: boolean;
  readonly mergeKey: string | undefined;
}

const unknownMeta: PatchMeta = { schema: undefined, strategy: undefined, retainsKeys: false, mergeKey: undefined };

export function lookUpField(schema: TypeSchema | undefined, field: string, path: readonly PathPart[]): PatchMeta {
  if (schema === undefined || schema.type === "json") return unknownMeta;
  if (schema.type === "map") return { ...unknownMeta, schema: schema.values.schema };
  const slot = schema.type === "object" ? schema.fields.get(field) : undefined;
  if (slot === undefined) {
    if (schema.type === "object" && schema.preservesUnknownFields) return unknownMeta;
    const where = schema.type === "object" ? (schema.name ?? "the schema") : `a ${schema.type}`;
    throw new StrategicMergeError("Invalid", [...path, field], `unable to find api field in ${where}`);
  }
  return {
    schema: slot.schema,
    strategy: slot.patchStrategies.find((strategy) => strategy !== "retainKeys"),
    retainsKeys: slot.patchStrategies.includes("retainKeys"),
    mergeKey: slot.patchMergeKey,
  };
}
