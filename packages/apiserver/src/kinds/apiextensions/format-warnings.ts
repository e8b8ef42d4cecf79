// Formats of schemas that nobody would look at.
import { type apiextensionsv1, quote } from "@kubeloop/core/api";
import { readSchema, type SchemaNode, schemasIn } from "./schema-node.ts";
import { isKnownFormat } from "./value-formats.ts";

export function formatWarnings(
  { versions }: apiextensionsv1.CustomResourceDefinitionSpec,
  old?: apiextensionsv1.CustomResourceDefinitionSpec,
): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old.versions));
  return unknownFormats(versions)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${quote(format)}`);
}

function unknownFormats(versions: readonly apiextensionsv1.CustomResourceDefinitionVersion[] | undefined): string[] {
  const schemas = (versions ?? []).map(({ schema }) => schema?.openAPIV3Schema);
  // What all versions say alike is looked at once.
  const texts = new Set(schemas.map((schema) => JSON.stringify(schema ?? null)));
  const distinct = texts.size === 1 ? schemas.slice(0, 1) : schemas;
  return distinct.flatMap((schema) => [...schemasIn(readSchema(schema))].filter(isUnknown).map(({ format }) => format));
}

function isUnknown({ type, format }: SchemaNode): boolean {
  if (format === "") return false;
  switch (type) {
    case "":
    case "string":
      return !isKnownFormat(format);
    case "integer":
      return format !== "int32" && format !== "int64";
    case "number":
      return format !== "float" && format !== "double";
    default:
      return true;
  }
}
