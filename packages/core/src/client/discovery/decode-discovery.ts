// Decodes discovery documents of both forms, aggregated (v2 and v2beta1, which are alike) and legacy, to the
// same records. The form is detected from the document, not from its content type, because values within one process
// have none.
//
// The decoding is lenient, because any aggregated server may write these documents: unknown fields are ignored, a malformed field
// counts as absent, an entry without a name is dropped. Only a document of another kind throws.
import { isJsonList, isJsonObject, type JsonObject, ownValue } from "../../api/json-value.ts";
import { DecodeError } from "../../api/object.ts";
import type { ServerVersion } from "./discovered.ts";

export interface GroupDocument {
  readonly name: string;
  readonly versions: readonly VersionDocument[];
  /** The version that the server prefers, if it says so. */
  readonly preferredVersion: string | undefined;
}

export interface VersionDocument {
  readonly version: string;
  /** "elsewhere": the resources are in a separate document. */
  readonly contents:
    | { readonly kind: "listed"; readonly entries: readonly ResourceEntry[] }
    | { readonly kind: "stale" }
    | { readonly kind: "elsewhere" };
}

/** One entry of a resource list. Texts and lists that the server does not send are empty. */
export interface ResourceEntry {
  /** "pods", or "pods/status" for a subresource. */
  readonly name: string;
  readonly singular: string;
  readonly namespaced: boolean;
  /** The group of the response's kind; empty means the list's group. */
  readonly group: string;
  /** The version of the response's kind; empty means the list's version. */
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** Decodes the response of /api or /apis. */
export function decodeGroups(json: unknown): readonly GroupDocument[] {
  const document = isJsonObject(json) ? json : {};
  switch (kindOf(document, { items: "APIGroupDiscoveryList", versions: "APIVersions", groups: "APIGroupList" })) {
    case "APIGroupDiscoveryList":
      return objects(document, "items").map(toAggregatedGroup);
    case "APIGroupList":
      return objects(document, "groups").map(toLegacyGroup);
    case "APIVersions": {
      const versions = texts(document, "versions").map(elsewhere);
      return versions.length === 0 ? [] : [{ name: "", versions, preferredVersion: undefined }];
    }
    default:
      throw new DecodeError("", `must be a list of API groups, got ${describe(json)}`);
  }
}

/** Decodes the response of /apis/GROUP/VERSION. */
export function decodeResourceList(json: unknown): readonly ResourceEntry[] {
  const document = isJsonObject(json) ? json : {};
  if (kindOf(document, { resources: "APIResourceList" }) !== "APIResourceList") {
    throw new DecodeError("", `must be a list of API resources, got ${describe(json)}`);
  }
  return objects(document, "resources").flatMap((entry) => {
    const name = text(entry, "name");
    if (name === "") return [];
    const { group, version, kind } = toResponseKind(entry);
    return [{ ...toEntry(name, entry), singular: text(entry, "singularName"), group, version, kind }];
  });
}

/** Decodes the response of /version. */
export function decodeServerVersion(json: unknown): ServerVersion {
  if (!isJsonObject(json)) throw new DecodeError("", `must be a version, got ${describe(json)}`);
  return {
    major: text(json, "major"),
    minor: text(json, "minor"),
    gitVersion: text(json, "gitVersion"),
    gitCommit: text(json, "gitCommit"),
    gitTreeState: text(json, "gitTreeState"),
    buildDate: text(json, "buildDate"),
    goVersion: text(json, "goVersion"),
    compiler: text(json, "compiler"),
    platform: text(json, "platform"),
  };
}

function toAggregatedGroup(group: JsonObject): GroupDocument {
  const versions = objects(group, "versions").flatMap((one): VersionDocument[] => {
    const version = text(one, "version");
    if (version === "") return [];
    if (text(one, "freshness") === "Stale") return [{ version, contents: { kind: "stale" } }];
    return [{ version, contents: { kind: "listed", entries: objects(one, "resources").flatMap(toEntries) } }];
  });
  return { name: text(object(group, "metadata"), "name"), versions, preferredVersion: undefined };
}

function toEntries(resource: JsonObject): ResourceEntry[] {
  const name = text(resource, "resource");
  if (name === "") return [];
  const own = {
    ...toEntry(name, resource),
    singular: text(resource, "singularResource"),
    namespaced: text(resource, "scope") === "Namespaced",
    ...toResponseKind(object(resource, "responseKind")),
  };
  const subresources = objects(resource, "subresources").flatMap((sub): ResourceEntry[] => {
    const subName = text(sub, "subresource");
    if (subName === "") return [];
    const { singular, namespaced } = own;
    const responseKind = toResponseKind(object(sub, "responseKind"));
    return [{ ...toEntry(`${name}/${subName}`, sub), singular, namespaced, ...responseKind }];
  });
  return [own, ...subresources];
}

// The fields that both forms have in common.
function toEntry(name: string, json: JsonObject) {
  return {
    name,
    namespaced: ownValue(json, "namespaced") === true,
    verbs: texts(json, "verbs"),
    shortNames: texts(json, "shortNames"),
    categories: texts(json, "categories"),
  };
}

function toResponseKind(json: JsonObject) {
  return { group: text(json, "group"), version: text(json, "version"), kind: text(json, "kind") };
}

function toLegacyGroup(group: JsonObject): GroupDocument {
  const versions = objects(group, "versions")
    .map(versionName)
    .filter((version) => version !== "");
  const preferred = versionName(object(group, "preferredVersion"));
  return {
    name: text(group, "name"),
    versions: versions.map(elsewhere),
    preferredVersion: preferred === "" ? undefined : preferred,
  };
}

function versionName(json: JsonObject): string {
  const groupVersion = text(json, "groupVersion");
  return text(json, "version") || groupVersion.slice(groupVersion.indexOf("/") + 1);
}

function elsewhere(version: string): VersionDocument {
  return { version, contents: { kind: "elsewhere" } };
}

// Returns the kind; if the server leaves it out, the kind that has the list found in the document.
function kindOf(document: JsonObject, kindsByList: Readonly<Record<string, string>>): string | undefined {
  const kind = text(document, "kind");
  if (kind !== "") return kind;
  return Object.entries(kindsByList).find(([list]) => isJsonList(ownValue(document, list)))?.[1];
}

function describe(json: unknown): string {
  if (!isJsonObject(json)) return json === null ? "null" : isJsonList(json) ? "a list" : `a ${typeof json}`;
  const kind = text(json, "kind");
  return kind === "" ? "an object without kind" : kind;
}

function text(json: JsonObject, key: string): string {
  const value = ownValue(json, key);
  return typeof value === "string" ? value : "";
}

function texts(json: JsonObject, key: string): readonly string[] {
  const value = ownValue(json, key);
  const isText = (one: unknown): one is string => typeof one === "string" && one !== "";
  return isJsonList(value) ? [...new Set(value.filter(isText))] : [];
}

function object(json: JsonObject, key: string): JsonObject {
  const value = ownValue(json, key);
  return isJsonObject(value) ? value : {};
}

function objects(json: JsonObject, key: string): readonly JsonObject[] {
  const value = ownValue(json, key);
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}
