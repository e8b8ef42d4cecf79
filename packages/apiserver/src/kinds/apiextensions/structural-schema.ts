// Whether a schema is structural: it says what there is once, in its properties, items and types; below "anyOf" and the like it only says
// what must hold of that. Pruning and defaulting rest on it.
import { type Fault, printFault, printPath } from "@kubeloop/core/api";
import { patternFault } from "../../go-prose/pattern-fault.ts";
import { collectFaults, type ValidationPath } from "../shared/validation-path.ts";
import { isOneSchema, type SchemaNode } from "./schema-node.ts";

type Level = "root" | "item" | "field";

/** Whether it is structural; faults are sorted, as upstream reports them. */
export function checkStructural(schema: SchemaNode, fldPath: ValidationPath): boolean {
  // Schemas with what is not supported at all have no structure to speak of.
  const faults: readonly Fault[] = collectFaults(printPath(fldPath), (root) => {
    checkInvariants(schema, root, "root");
    checkComplete(schema, schema, { fldPath: root, from: root });
  });
  for (const fault of faults.toSorted((a, b) => (printFault(a) < printFault(b) ? -1 : 1))) fldPath.add(fault);
  return faults.length === 0;
}

function checkInvariants(node: SchemaNode, fldPath: ValidationPath, level: Level): void {
  const { items, additionalProperties } = node;
  if (node.type === "array" && items === undefined) fldPath.at("items").required("must be specified");
  if (isOneSchema(items)) checkInvariants(items, fldPath.at("items"), "item");
  for (const [name, property] of node.properties) {
    checkInvariants(property, fldPath.at("properties").item(name), "field");
  }
  if (additionalProperties !== undefined) {
    const additionalPath = fldPath.at("additionalProperties");
    if (level === "root") additionalPath.forbidden("must not be used at the root");
    if (typeof additionalProperties === "object") checkInvariants(additionalProperties, additionalPath, "field");
  }
  checkExtensions(node, fldPath);
  checkValues(node, fldPath);
  checkType(node, fldPath, level);
  checkMetadata(node, fldPath, level);
}

function checkExtensions(node: SchemaNode, fldPath: ValidationPath): void {
  if (!node.isIntOrString) return;
  const why = "must be false if x-kubernetes-int-or-string is true";
  if (node.preservesUnknownFields === true) fldPath.at("x-kubernetes-preserve-unknown-fields").invalid(true, why);
  if (node.isEmbeddedResource) fldPath.at("x-kubernetes-embedded-resource").invalid(true, why);
}

const emptyTypeTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(node: SchemaNode, fldPath: ValidationPath, level: Level): void {
  const { type, isEmbeddedResource } = node;
  const typePath = fldPath.at("type");
  if (isEmbeddedResource && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") typePath.required(why);
    else typePath.invalid(type, why);
  } else if (type === "" && !node.isIntOrString && node.preservesUnknownFields !== true) {
    typePath.required(emptyTypeTexts[level]);
  }
  if (isEmbeddedResource && node.additionalProperties !== undefined) {
    fldPath.at("additionalProperties").forbidden("must not be used if x-kubernetes-embedded-resource is set");
  }
  if (level === "root" && type !== "" && type !== "object") typePath.invalid(type, "must be object at the root");
}

function checkMetadata(node: SchemaNode, fldPath: ValidationPath, level: Level): void {
  const isObject = level === "root" || node.isEmbeddedResource;
  const propertyPath = (name: string) => fldPath.at("properties").item(name);
  for (const name of ["kind", "apiVersion"]) {
    const property = node.properties.get(name);
    if (isObject && property !== undefined && property.type !== "string") {
      propertyPath(name).at("type").invalid(property.type, "must be string");
    }
  }
  const metadata = node.properties.get("metadata");
  if (metadata !== undefined) {
    if (isObject && metadata.type !== "object") {
      propertyPath("metadata").at("type").invalid(metadata.type, "must be object");
    }
    if (level === "root" && !saysOnlyNames(metadata)) {
      const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
      propertyPath("metadata").forbidden(why);
    }
  }
  if (node.isEmbeddedResource && node.preservesUnknownFields !== true && node.properties.size === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    fldPath.at("properties").required(why);
  }
}

function saysOnlyNames({ fields, properties }: SchemaNode): boolean {
  const others = fields.filter((name) => !["type", "properties", "default"].includes(name));
  return others.length === 0 && [...properties.keys()].every((name) => name === "name" || name === "generateName");
}

/** What must hold of the values, here and in alternatives. */
function checkValues(node: SchemaNode, fldPath: ValidationPath, hasPattern = isIntOrString(node)): void {
  if (!hasPattern) checkNestedList(node.anyOf, fldPath.at("anyOf"));
  for (const [i, part] of node.allOf.entries()) {
    checkNested(part, fldPath.at("allOf").item(i), i === 0 && isIntOrString(part));
  }
  checkNestedList(node.oneOf, fldPath.at("oneOf"));
  if (node.not !== undefined) checkNested(node.not, fldPath.at("not"));
  const fault = patternFault(node.pattern);
  if (fault !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${fault}`;
    fldPath.at("pattern").invalid(node.pattern, why);
  }
}

/** The one alternative that may name types. */
function isIntOrString({ anyOf }: SchemaNode): boolean {
  const isOnlyType = (node: SchemaNode | undefined, type: string) => node?.type === type && node.fields.length === 1;
  return anyOf.length === 2 && isOnlyType(anyOf[0], "integer") && isOnlyType(anyOf[1], "string");
}

function checkNestedList(nodes: readonly SchemaNode[], fldPath: ValidationPath): void {
  for (const [i, node] of nodes.entries()) checkNested(node, fldPath.item(i));
}

function checkNested(node: SchemaNode, fldPath: ValidationPath, hasPattern = false): void {
  checkValues(node, fldPath, hasPattern);
  if (isOneSchema(node.items)) checkNested(node.items, fldPath.at("items"));
  for (const [name, property] of node.properties) checkNested(property, fldPath.at("properties").item(name));
  for (const [field, isSaid, why] of [
    ["type", node.type !== "", "must be empty to be structural"],
    ["additionalProperties", node.additionalProperties !== undefined, "must be undefined to be structural"],
    ["default", node.hasDefault, "must be undefined to be structural"],
    ["title", node.title !== "", "must be empty to be structural"],
    ["description", node.description !== "", "must be empty to be structural"],
    ["nullable", node.isNullable, "must be false to be structural"],
    ["x-kubernetes-preserve-unknown-fields", node.preservesUnknownFields === true, "must be false to be structural"],
    ["x-kubernetes-embedded-resource", node.isEmbeddedResource, "must be false to be structural"],
    ["x-kubernetes-int-or-string", node.isIntOrString, "must be false to be structural"],
    ["x-kubernetes-list-map-keys", node.listMapKeys.length > 0, "must be empty to be structural"],
    ["x-kubernetes-list-type", node.listType !== undefined, "must be undefined to be structural"],
    ["x-kubernetes-map-type", node.mapType !== undefined, "must be undefined to be structural"],
    ["x-kubernetes-validations", node.validations.length > 0, "must be empty to be structural"],
  ] as const) {
    if (isSaid) fldPath.at(field).forbidden(why);
  }
  if (node.properties.has("metadata")) {
    fldPath.at("properties").item("metadata").forbidden("must not be specified in a nested context");
  }
}

interface FldPaths {
  readonly fldPath: ValidationPath;
  /** Where it is spoken of. */
  readonly from: ValidationPath;
}

/** What is spoken of in alternatives is declared. */
function checkComplete(spoken: SchemaNode, declared: SchemaNode, { fldPath, from }: FldPaths): void {
  const parts: readonly (readonly [SchemaNode, ValidationPath])[] = [
    ...(spoken.not === undefined ? [] : ([[spoken.not, from.at("not")]] as const)),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((field) =>
      spoken[field].map((part, i) => [part, from.at(field).item(i)] as const),
    ),
  ];
  for (const [part, at] of parts) checkSpoken(part, declared, { fldPath, from: at });
}

function checkSpoken(spoken: SchemaNode, declared: SchemaNode, { fldPath, from }: FldPaths): void {
  checkComplete(spoken, declared, { fldPath, from });
  const missing = (at: ValidationPath, where: ValidationPath) =>
    at.required(`because it is defined in ${printPath(where)}`);
  if (isOneSchema(spoken.items)) {
    const [at, where] = [fldPath.at("items"), from.at("items")];
    if (isOneSchema(declared.items)) checkSpoken(spoken.items, declared.items, { fldPath: at, from: where });
    else missing(at, where);
  }
  for (const [name, property] of spoken.properties) {
    const [at, where] = [fldPath.at("properties").item(name), from.at("properties").item(name)];
    const own = declared.properties.get(name);
    if (own === undefined) missing(at, where);
    else checkSpoken(property, own, { fldPath: at, from: where });
  }
}
