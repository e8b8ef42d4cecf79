// How one field is patched, looked up in the schema. Below values of any JSON nothing is known: objects merge, lists are
// replaced. A field the schema does not have is an error, as upstream: a patch that cannot be understood is not guessed.
import type { PathPart, TypeSchema } from "../schema.ts";
import { StrategicMergeError } from "./patch-error.ts";

export interface PatchMeta {
  readonly schema: TypeSchema | undefined;
  /** Lists are replaced and objects merged unless it says otherwise. */
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
