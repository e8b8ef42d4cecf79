// A CustomResourceDefinition as far as code can be made of it. Names are checked as an API server checks them, because they
// become names of files and of things in the code.
import { sortVersions, validateDns1035Label, validateDns1123Subdomain } from "@kubeloop/core/api";
import { UsageError } from "../usage-error.ts";
import { decodeSchema, isRecord, type JsonRecord, type Schema } from "./schema.ts";

export interface Crd {
  /** "widgets.example.com" */
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly versions: readonly CrdVersion[];
}

export interface CrdVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly subresources: readonly ("status" | "scale")[];
  /** Why it should no longer be used, if so. */
  readonly deprecation: string | undefined;
  readonly schema: unknown;
}

export function isCrd(document: unknown): boolean {
  return isRecord(document) && document["kind"] === "CustomResourceDefinition";
}

export function decodeCrd(document: unknown, source: string): Crd {
  const crd = requireRecord(document, source);
  const metadata = isRecord(crd["metadata"]) ? crd["metadata"] : {};
  const where = typeof metadata["name"] === "string" ? `${source}: ${metadata["name"]}` : source;
  if (crd["apiVersion"] !== "apiextensions.k8s.io/v1") {
    throw new UsageError(`${where} is of ${JSON.stringify(crd["apiVersion"])}, not of apiextensions.k8s.io/v1`);
  }
  const spec = requireRecord(crd["spec"], `${where}: spec`);
  const names = requireRecord(spec["names"], `${where}: spec.names`);
  const name = (holder: JsonRecord, field: string, path: string, check: (text: string) => readonly string[]) => {
    const value = holder[field];
    if (typeof value !== "string" || value === "") throw new UsageError(`${where}: ${path}.${field} must be given`);
    const faults = check(value);
    if (faults.length > 0) throw new UsageError(`${where}: ${path}.${field} ${JSON.stringify(value)}: ${faults[0]}`);
    return value;
  };
  const kind = name(names, "kind", "spec.names", validateKind);
  const plural = name(names, "plural", "spec.names", validateDns1035Label);
  const group = name(spec, "group", "spec", validateDns1123Subdomain);
  const versions = Array.isArray(spec["versions"]) ? spec["versions"] : [];
  return {
    name: `${plural}.${group}`,
    group,
    kind,
    plural,
    singular: textOf(names["singular"], kind.toLowerCase()),
    listKind: textOf(names["listKind"], `${kind}List`),
    shortNames: textsOf(names["shortNames"]),
    categories: textsOf(names["categories"]),
    namespaced: spec["scope"] === "Namespaced",
    versions: versions.map((json, i) => {
      const path = `spec.versions[${i}]`;
      const version = requireRecord(json, `${where}: ${path}`);
      return decodeVersion(version, name(version, "name", path, validateDns1035Label));
    }),
  };
}

/** The one that was asked for, or the one a server prefers of those it serves. */
export function chooseVersion(crd: Crd, wanted: string | undefined): CrdVersion {
  const find = (name: string | undefined) => crd.versions.find((version) => version.name === name);
  if (wanted !== undefined) {
    const found = find(wanted);
    if (found !== undefined) return found;
    const names = crd.versions.map((version) => version.name).join(", ");
    throw new UsageError(`${crd.name} has no version ${JSON.stringify(wanted)}, only ${names || "none"}`);
  }
  const served = crd.versions.filter((version) => version.isServed).map((version) => version.name);
  const best = find(sortVersions(served)[0]);
  if (best === undefined) throw new UsageError(`${crd.name} serves no version; --version names one`);
  return best;
}

/** Throws where there is nothing to make types of. */
export function schemaOf(crd: Crd, version: CrdVersion): Schema {
  const where = `${crd.name} ${version.name}`;
  if (version.schema === undefined) throw new UsageError(`${where} has no schema (schema.openAPIV3Schema)`);
  const schema = decodeSchema(version.schema, `${where}:`);
  if (schema.type !== "object") throw new UsageError(`${where}: the schema's type must be object`);
  return schema;
}

function decodeVersion(json: JsonRecord, name: string): CrdVersion {
  const { schema, subresources, deprecationWarning } = json;
  const has = isRecord(subresources) ? subresources : {};
  return {
    name,
    isServed: json["served"] === true,
    subresources: (["status", "scale"] as const).filter((one) => isRecord(has[one])),
    deprecation: json["deprecated"] === true ? textOf(deprecationWarning, `${name} is deprecated`) : undefined,
    schema: isRecord(schema) ? schema["openAPIV3Schema"] : undefined,
  };
}

function validateKind(kind: string): readonly string[] {
  return validateDns1035Label(kind.toLowerCase());
}

function requireRecord(json: unknown, path: string): JsonRecord {
  if (isRecord(json)) return json;
  throw new UsageError(`${path} must be an object`);
}

function textOf(json: unknown, otherwise: string): string {
  return typeof json === "string" && json !== "" ? json : otherwise;
}

function textsOf(json: unknown): readonly string[] {
  return Array.isArray(json) ? json.filter((one) => typeof one === "string") : [];
}
