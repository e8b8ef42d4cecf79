// Formats of schemas that nobody would look at.
import { type apiextensionsv1, quote } from "@kubeloop/core/api";
import { readSchema, type SchemaNode, schemasIn } from "./schema-node.ts";

/** Without dashes. */
const ofStrings = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname".split(
    " ",
  ),
);

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
      return !ofStrings.has(format.replaceAll("-", ""));
    case "integer":
      return format !== "int32" && format !== "int64";
    case "number":
      return format !== "float" && format !== "double";
    default:
      return true;
  }
}
