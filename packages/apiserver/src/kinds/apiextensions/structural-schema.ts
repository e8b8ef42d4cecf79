// Whether a schema is structural: it says what there is once, in its properties, items and types; below "anyOf" and the like it only says
// what must hold of that. Pruning and defaulting rest on it.
import { type Fault, printFault, printPath } from "@kubeloop/core/api";
import { collectFaults, type FaultPlace } from "../shared/fault-place.ts";
import { patternFault } from "./pattern-fault.ts";
import { isOneSchema, type SchemaNode } from "./schema-node.ts";

type Level = "root" | "item" | "field";

/** Sorted, as upstream tells them. `parent` is the place the schema stands at. */
export function checkStructural(schema: SchemaNode, place: FaultPlace): void {
  // Schemas with what is not supported at all have no structure to speak of.
  const faults: readonly Fault[] = collectFaults(printPath(place), (root) => {
    checkInvariants(schema, root, "root");
    checkComplete(schema, schema, { place: root, from: root });
  });
  for (const fault of faults.toSorted((a, b) => (printFault(a) < printFault(b) ? -1 : 1))) place.add(fault);
}

function checkInvariants(node: SchemaNode, place: FaultPlace, level: Level): void {
  const { items, additionalProperties } = node;
  if (node.type === "array" && items === undefined) place.at("items").required("must be specified");
  if (isOneSchema(items)) checkInvariants(items, place.at("items"), "item");
  for (const [name, property] of node.properties) {
    checkInvariants(property, place.at("properties").item(name), "field");
  }
  if (additionalProperties !== undefined) {
    const additionalPlace = place.at("additionalProperties");
    if (level === "root") additionalPlace.forbidden("must not be used at the root");
    if (typeof additionalProperties === "object") checkInvariants(additionalProperties, additionalPlace, "field");
  }
  checkExtensions(node, place);
  checkValues(node, place);
  checkType(node, place, level);
  checkMetadata(node, place, level);
}

function checkExtensions(node: SchemaNode, place: FaultPlace): void {
  if (!node.isIntOrString) return;
  const why = "must be false if x-kubernetes-int-or-string is true";
  if (node.preservesUnknownFields === true) place.at("x-kubernetes-preserve-unknown-fields").invalid(true, why);
  if (node.isEmbeddedResource) place.at("x-kubernetes-embedded-resource").invalid(true, why);
}

const emptyTypeTexts: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkType(node: SchemaNode, place: FaultPlace, level: Level): void {
  const { type, isEmbeddedResource } = node;
  const typePlace = place.at("type");
  if (isEmbeddedResource && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") typePlace.required(why);
    else typePlace.invalid(type, why);
  } else if (type === "" && !node.isIntOrString && node.preservesUnknownFields !== true) {
    typePlace.required(emptyTypeTexts[level]);
  }
  if (isEmbeddedResource && node.additionalProperties !== undefined) {
    place.at("additionalProperties").forbidden("must not be used if x-kubernetes-embedded-resource is set");
  }
  if (level === "root" && type !== "" && type !== "object") typePlace.invalid(type, "must be object at the root");
}

function checkMetadata(node: SchemaNode, place: FaultPlace, level: Level): void {
  const isObject = level === "root" || node.isEmbeddedResource;
  const propertyPlace = (name: string) => place.at("properties").item(name);
  for (const name of ["kind", "apiVersion"]) {
    const property = node.properties.get(name);
    if (isObject && property !== undefined && property.type !== "string") {
      propertyPlace(name).at("type").invalid(property.type, "must be string");
    }
  }
  const metadata = node.properties.get("metadata");
  if (metadata !== undefined) {
    if (isObject && metadata.type !== "object") {
      propertyPlace("metadata").at("type").invalid(metadata.type, "must be object");
    }
    if (level === "root" && !saysOnlyNames(metadata)) {
      const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
      propertyPlace("metadata").forbidden(why);
    }
  }
  if (node.isEmbeddedResource && node.preservesUnknownFields !== true && node.properties.size === 0) {
    const why =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    place.at("properties").required(why);
  }
}

function saysOnlyNames({ fields, properties }: SchemaNode): boolean {
  const others = fields.filter((name) => !["type", "properties", "default"].includes(name));
  return others.length === 0 && [...properties.keys()].every((name) => name === "name" || name === "generateName");
}

/** What must hold of the values, here and in alternatives. */
function checkValues(node: SchemaNode, place: FaultPlace, hasPattern = isIntOrString(node)): void {
  if (!hasPattern) checkNestedList(node.anyOf, place.at("anyOf"));
  for (const [i, part] of node.allOf.entries()) {
    checkNested(part, place.at("allOf").item(i), i === 0 && isIntOrString(part));
  }
  checkNestedList(node.oneOf, place.at("oneOf"));
  if (node.not !== undefined) checkNested(node.not, place.at("not"));
  const fault = patternFault(node.pattern);
  if (fault !== undefined) {
    const why = `must be a valid regular expression, but isn't: ${fault}`;
    place.at("pattern").invalid(node.pattern, why);
  }
}

/** The one alternative that may name types. */
function isIntOrString({ anyOf }: SchemaNode): boolean {
  const isOnlyType = (node: SchemaNode | undefined, type: string) => node?.type === type && node.fields.length === 1;
  return anyOf.length === 2 && isOnlyType(anyOf[0], "integer") && isOnlyType(anyOf[1], "string");
}

function checkNestedList(nodes: readonly SchemaNode[], place: FaultPlace): void {
  for (const [i, node] of nodes.entries()) checkNested(node, place.item(i));
}

function checkNested(node: SchemaNode, place: FaultPlace, hasPattern = false): void {
  checkValues(node, place, hasPattern);
  if (isOneSchema(node.items)) checkNested(node.items, place.at("items"));
  for (const [name, property] of node.properties) checkNested(property, place.at("properties").item(name));
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
    if (isSaid) place.at(field).forbidden(why);
  }
  if (node.properties.has("metadata")) {
    place.at("properties").item("metadata").forbidden("must not be specified in a nested context");
  }
}

interface Places {
  readonly place: FaultPlace;
  /** Where it is spoken of. */
  readonly from: FaultPlace;
}

/** What is spoken of in alternatives is declared. */
function checkComplete(spoken: SchemaNode, declared: SchemaNode, { place, from }: Places): void {
  const parts: readonly (readonly [SchemaNode, FaultPlace])[] = [
    ...(spoken.not === undefined ? [] : ([[spoken.not, from.at("not")]] as const)),
    ...(["allOf", "anyOf", "oneOf"] as const).flatMap((field) =>
      spoken[field].map((part, i) => [part, from.at(field).item(i)] as const),
    ),
  ];
  for (const [part, at] of parts) checkSpoken(part, declared, { place, from: at });
}

function checkSpoken(spoken: SchemaNode, declared: SchemaNode, { place, from }: Places): void {
  checkComplete(spoken, declared, { place, from });
  const missing = (at: FaultPlace, where: FaultPlace) => at.required(`because it is defined in ${printPath(where)}`);
  if (isOneSchema(spoken.items)) {
    const [at, where] = [place.at("items"), from.at("items")];
    if (isOneSchema(declared.items)) checkSpoken(spoken.items, declared.items, { place: at, from: where });
    else missing(at, where);
  }
  for (const [name, property] of spoken.properties) {
    const [at, where] = [place.at("properties").item(name), from.at("properties").item(name)];
    const own = declared.properties.get(name);
    if (own === undefined) missing(at, where);
    else checkSpoken(property, own, { place: at, from: where });
  }
}
