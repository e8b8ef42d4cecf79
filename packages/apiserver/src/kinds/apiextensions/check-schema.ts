// What a custom resource's schema may say, beside being structural. The rules in it (x-kubernetes-validations) are not read: that comes with
// CEL.
import type { ValidationPath } from "../shared/validation-path.ts";
import { checkDefaults } from "./check-defaults.ts";
import { fieldAt, isOneSchema, type SchemaNode } from "./schema-node.ts";
import { checkStructural } from "./structural-schema.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = ["metadata", "kind", "apiVersion"];
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const withStatus = [
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
];
const withStatusWords =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

interface SchemaContext {
  readonly isRoot?: boolean;
  readonly isInsideMeta?: boolean;
  /** Why there may be no defaults. */
  readonly noDefaults?: string;
}

export function checkRootSchema(
  schema: SchemaNode,
  fldPath: ValidationPath,
  options: { readonly hasStatus: boolean },
): void {
  const schemaPath = fldPath.at("openAPIV3Schema");
  if (options.hasStatus) checkRootFields(schema, fldPath);
  // One name with a dot in it, as upstream has it.
  if (schema.isNullable) fldPath.at("openAPIV3Schema.nullable").forbidden("nullable cannot be true at the root");
  if (!hasUnsupported(schema) && checkStructural(schema, schemaPath)) {
    checkDefaults(schema, schemaPath, { isResource: true });
  }
  checkSchema(schema, schemaPath, { isRoot: true });
}

function checkRootFields({ fields, type }: SchemaNode, fldPath: ValidationPath): void {
  if (type !== "object" && type !== "") {
    const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    fldPath.at("openAPIV3Schema.type").invalid(type, why);
  } else if (!fields.every((name) => withStatus.includes(name))) {
    const why = `only ${withStatusWords} fields are allowed at the root of the schema if the status subresource is enabled`;
    fldPath.at("openAPIV3Schema").invalidWithoutValue(why);
  }
}

function hasUnsupported(node: SchemaNode): boolean {
  if (node.unsupported.length > 0 || Array.isArray(node.items) || node.preservesUnknownFields === false) return true;
  const { items, additionalProperties: additional } = node;
  const parts = [
    ...(isOneSchema(items) ? [items] : []),
    ...(typeof additional === "object" ? [additional] : []),
    ...node.properties.values(),
    ...node.allOf,
    ...node.anyOf,
    ...node.oneOf,
    ...(node.not === undefined ? [] : [node.not]),
  ];
  return parts.some(hasUnsupported);
}

function checkSchema(node: SchemaNode, fldPath: ValidationPath, context: SchemaContext): void {
  checkSupported(node, fldPath, context);
  if (node.hasUniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    fldPath.at("uniqueItems").forbidden(why);
  }
  const { isRoot: _isRoot, ...inner } = context;
  checkAdditional(node, fldPath, inner);
  for (const [name, property] of node.properties) {
    checkSchema(property, fldPath.at("properties").item(name), propertyContext(node, name, context));
  }
  if (node.not !== undefined) checkSchema(node.not, fldPath.at("not"), inner);
  for (const field of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [i, part] of node[field].entries()) checkSchema(part, fldPath.at(field).item(i), inner);
  }
  const { items } = node;
  if (isOneSchema(items)) checkSchema(items, fldPath.at("items"), inner);
  else for (const [i, item] of (items ?? []).entries()) checkSchema(item, fldPath.at("items").item(i), inner);
  if (node.preservesUnknownFields === false) {
    fldPath.at("x-kubernetes-preserve-unknown-fields").invalid(false, "must be true or undefined");
  }
  checkMapType(node, fldPath);
  checkListType(node, fldPath);
  checkRules(node, fldPath);
}

function checkSupported(node: SchemaNode, fldPath: ValidationPath, { noDefaults, isInsideMeta }: SchemaContext): void {
  if (node.type !== "" && !types.includes(node.type)) fldPath.at("type").notSupported(node.type, types);
  if (node.hasDefault && noDefaults !== undefined) fldPath.at("default").forbidden(`must not be set ${noDefaults}`);
  for (const name of node.unsupported) fldPath.at(name).forbidden(`${name} is not supported`);
  if (node.type === "null") {
    fldPath.at("type").forbidden("type cannot be set to null, use nullable as an alternative");
  }
  if (Array.isArray(node.items) && node.items.length > 0) {
    fldPath.at("items").forbidden("items must be a schema object and not an array");
  }
  if (isInsideMeta === true && node.isEmbeddedResource) {
    fldPath.at("x-kubernetes-embedded-resource").forbidden("must not be used inside of resource meta");
  }
}

function checkAdditional(
  { additionalProperties, properties }: SchemaNode,
  fldPath: ValidationPath,
  context: SchemaContext,
) {
  if (additionalProperties === undefined) return;
  const additionalPath = fldPath.at("additionalProperties");
  if (properties.size > 0 && additionalProperties !== true) {
    additionalPath.forbidden("additionalProperties and properties are mutual exclusive");
  }
  if (typeof additionalProperties === "boolean") return;
  const inner =
    context.isInsideMeta === true
      ? { ...context, noDefaults: "inside additionalProperties applying to object metadata" }
      : context;
  checkSchema(additionalProperties, additionalPath, inner);
}

function propertyContext(
  { isEmbeddedResource }: SchemaNode,
  name: string,
  { isRoot = false, ...inner }: SchemaContext,
): SchemaContext {
  if (!(isRoot || isEmbeddedResource) || !metaFields.includes(name)) return inner;
  return { ...inner, isInsideMeta: true, ...(isRoot ? { noDefaults: `in top-level ${name}` } : {}) };
}

function checkMapType({ mapType, type }: SchemaNode, fldPath: ValidationPath): void {
  if (mapType === undefined) return;
  const why = "must be object if x-kubernetes-map-type is specified";
  if (type === "") fldPath.at("type").required(why);
  else if (type !== "object") fldPath.at("type").invalid(type, why);
  const mapTypes = ["atomic", "granular"];
  if (!mapTypes.includes(mapType)) fldPath.at("x-kubernetes-map-type").notSupported(mapType, mapTypes);
}

function checkListType(node: SchemaNode, fldPath: ValidationPath): void {
  const { listType, listMapKeys, type, items } = node;
  const typePath = fldPath.at("x-kubernetes-list-type");
  if (listType !== undefined && type !== "array") {
    const why = "must be array if x-kubernetes-list-type is specified";
    if (type === "") fldPath.at("type").required(why);
    else fldPath.at("type").invalid(type, why);
  } else if (listType === "set" && isOneSchema(items)) {
    checkAtomic(items, fldPath.at("items"));
  }
  const listTypes = ["atomic", "set", "map"];
  if (listType !== undefined && !listTypes.includes(listType)) typePath.notSupported(listType, listTypes);
  if (listMapKeys.length > 0) {
    const why = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (listType === undefined) typePath.required(why);
    else if (listType !== "map") typePath.invalid(listType, why);
  }
  if (listType === "map") checkMapKeys(node, fldPath);
  if (listType === "map" || listType === "set") checkKeyValues(node, fldPath.at("items"), listType);
}

/** Sets hold what is one thing. */
function checkAtomic({ type, listType, mapType }: SchemaNode, fldPath: ValidationPath): void {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (type === "array" && listType !== undefined && listType !== "atomic") {
    fldPath.at("x-kubernetes-list-type").invalid(listType, why);
  }
  // Upstream's oddity: the list's type is reported.
  if (type === "object" && mapType !== "atomic") fldPath.at("x-kubernetes-map-type").invalid(listType ?? null, why);
}

function checkMapKeys({ listMapKeys, items }: SchemaNode, fldPath: ValidationPath): void {
  const keysPath = fldPath.at("x-kubernetes-list-map-keys");
  if (listMapKeys.length === 0) keysPath.required("must not be empty if x-kubernetes-list-type is map");
  if (items === undefined) {
    fldPath.at("items").required("must have a schema if x-kubernetes-list-type is map");
    return;
  }
  if (!isOneSchema(items)) {
    fldPath.at("items").invalidWithoutValue("must only have a single schema if x-kubernetes-list-type is map");
    return;
  }
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    fldPath.at("items", "type").invalid(items.type, why);
    return;
  }
  const seen = new Set<string>();
  for (const key of listMapKeys) {
    const property = items.properties.get(key);
    if (property === undefined) keysPath.invalid(listMapKeys, "entries must all be names of item properties");
    else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      fldPath.at("items", "properties").item(key).at("type").invalid(items.type, why);
    }
    if (seen.has(key)) keysPath.invalid(listMapKeys, "must not contain duplicate entries");
    seen.add(key);
  }
}

/** Keys always have a value. */
function checkKeyValues({ listMapKeys, items }: SchemaNode, fldPath: ValidationPath, listType: string): void {
  if (!isOneSchema(items)) return;
  if (items.isNullable) {
    fldPath.at("nullable").forbidden(`cannot be nullable when x-kubernetes-list-type is ${listType}`);
  }
  if (listType !== "map") return;
  const required = new Set(items.required);
  for (const key of listMapKeys) {
    const property = items.properties.get(key);
    if (property === undefined) continue;
    const keyPath = fldPath.at("properties").item(key);
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (!required.has(key) && !property.hasDefault) {
      keyPath.at("default").required(`${why} must have a default or be a required property`);
    }
    if (property.isNullable) keyPath.at("nullable").forbidden(`${why} cannot be nullable`);
  }
}

function checkRules(node: SchemaNode, fldPath: ValidationPath): void {
  for (const [i, validation] of node.validations.entries()) {
    const { rule, message = "", messageExpression = "", reason, fieldPath = "" } = validation;
    const rulePath = fldPath.at("x-kubernetes-validations").item(i);
    const hasBreak = (text: string) => /[\n\r]/.test(text);
    if (rule.trim() === "") rulePath.at("rule").required("rule is not specified");
    else if (message !== "" && message.trim() === "") {
      rulePath.at("message").invalid(message, "must be non-empty if specified");
    } else if (hasBreak(message.trim())) rulePath.at("message").invalid(message, "must not contain line breaks");
    else if (hasBreak(rule.trim()) && message.trim() === "") {
      rulePath.at("message").required("message must be specified if rule contains line breaks");
    }
    if (messageExpression !== "" && messageExpression.trim() === "") {
      rulePath.at("messageExpression").required("messageExpression must be non-empty if specified");
    }
    if (reason !== undefined && !reasons.includes(reason)) rulePath.at("reason").notSupported(reason, reasons);
    if (fieldPath !== "" && fieldPath.trim() === "") {
      rulePath.at("fieldPath").invalid(fieldPath, "must be non-empty if specified");
    }
    if (hasBreak(fieldPath)) rulePath.at("fieldPath").invalid(fieldPath, "must not contain line breaks");
    // Names in brackets are not read.
    if (fieldPath !== "" && !fieldPath.includes("[") && fieldAt(node, fieldPath) === undefined) {
      rulePath.at("fieldPath").invalid(fieldPath, "must be a valid path");
    }
  }
}
