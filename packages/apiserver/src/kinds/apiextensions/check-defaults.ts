// Defaults in a schema of a custom resource: each must be what its own schema asks for, and have no field that would be pruned at once. Looked at
// only where the schema is structural.
//
// Defaults of metadata are held to their schema, but not to what metadata may be.
import { typeInvalidFault } from "@kubeloop/core/api";
import type { ValidationPath } from "../shared/validation-path.ts";
import { isOneSchema, type SchemaNode } from "./schema-node.ts";
import { findValueFaults, type ValueFault } from "./validate-value.ts";

const metaFields = new Set(["apiVersion", "kind", "metadata"]);

interface DefaultContext {
  readonly isResource?: boolean;
  readonly isInsideMeta?: boolean;
}

export function checkDefaults(schema: SchemaNode, fldPath: ValidationPath, context: DefaultContext = {}): void {
  const isResource = context.isResource === true || schema.isEmbeddedResource;
  const isInsideMeta = context.isInsideMeta === true && !schema.isEmbeddedResource;
  if (schema.hasDefault) checkDefault(schema, fldPath.at("default"), { isResource, isInsideMeta });
  if (isOneSchema(schema.items)) checkDefaults(schema.items, fldPath.at("items"), { isInsideMeta });
  for (const [name, property] of schema.properties) {
    const inner = { isInsideMeta: isInsideMeta || (isResource && metaFields.has(name)) };
    checkDefaults(property, fldPath.at("properties").item(name), inner);
  }
}

function checkDefault(schema: SchemaNode, fldPath: ValidationPath, { isResource, isInsideMeta }: DefaultContext): void {
  if (isInsideMeta !== true && hasUnknownFields(schema.default, schema, isResource === true))
    fldPath.invalid(schema.default, "must not have unknown fields");
  for (const fault of findValueFaults(schema.default, schema)) report(fault, fldPath);
}

function report(fault: ValueFault, defaultPath: ValidationPath): void {
  const fldPath = fault.at === "" ? defaultPath : defaultPath.at(fault.at.replace(/^\./, ""));
  switch (fault.kind) {
    case "required":
      fldPath.required();
      break;
    case "not supported":
      fldPath.notSupported(fault.value, fault.supported);
      break;
    case "too long":
      fldPath.tooLong(fault.max);
      break;
    case "too many":
      fldPath.tooMany(fault.count, fault.max);
      break;
    case "wrong type":
      fldPath.add(typeInvalidFault(fldPath, fault.value, fault.why));
      break;
    case "invalid":
      fldPath.invalid(fault.value, fault.why);
      break;
  }
}

/** Whether pruning would take something away. */
function hasUnknownFields(value: unknown, schema: SchemaNode | undefined, isResource: boolean): boolean {
  if (Array.isArray(value)) {
    const items = schema !== undefined && isOneSchema(schema.items) ? schema.items : undefined;
    if (items === undefined && schema?.preservesUnknownFields === true) return false;
    return value.some((item) => hasUnknownFields(item, items, items?.isEmbeddedResource === true));
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, held]) => {
    if (isResource && metaFields.has(name)) return false;
    const property = schema?.properties.get(name);
    if (property !== undefined) return hasUnknownFields(held, property, property.isEmbeddedResource);
    const additional = schema?.additionalProperties;
    if (typeof additional === "object") return hasUnknownFields(held, additional, additional.isEmbeddedResource);
    if (additional === true) return isFilledRecord(held);
    return schema?.preservesUnknownFields !== true;
  });
}

/** Below a field that may be anything, but has no schema, nothing is kept. */
const isFilledRecord = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isFilledRecord)
    : typeof value === "object" && value !== null && Object.keys(value).length > 0;
