// Decodes aggregated discovery (`APIGroupDiscoveryList`, apidiscovery.k8s.io/v2) as `/api` and `/apis` answer it. The
// order of groups, versions and resources is the server's: its first version of a group is the preferred one.
import { GenerateError } from "./generate-error.ts";
import { asObject, type Json, type JsonObject } from "./json.ts";
import type { GroupVersionKind } from "./openapi.ts";

export interface DiscoveredSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface DiscoveredResource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
}

/** Takes `{ api, apis }`: the answers of the two paths. */
export function decodeDiscovery(input: unknown): readonly DiscoveredResource[] {
  const root = asObject(input, "the discovery input");
  return ["api", "apis"].flatMap((key) => {
    const list = asObject(root[key] ?? { kind: "APIGroupDiscoveryList", items: [] }, `discovery of /${key}`);
    if (list["kind"] !== "APIGroupDiscoveryList") {
      throw new GenerateError(`discovery of /${key} is not aggregated: its kind is ${JSON.stringify(list["kind"])}`);
    }
    return arrayOf(list["items"]).flatMap(resourcesOfGroup);
  });
}

function resourcesOfGroup(group: JsonObject): DiscoveredResource[] {
  const groupName = textOf(asObject(group["metadata"] ?? {}, "metadata")["name"]);
  return arrayOf(group["versions"]).flatMap((version) => {
    const own = { group: groupName, version: textOf(version["version"]) };
    return arrayOf(version["resources"]).map((resource) => toResource(resource, own));
  });
}

function toResource(resource: JsonObject, own: Omit<GroupVersionKind, "kind">): DiscoveredResource {
  const { kind } = toKind(resource["responseKind"], own);
  return {
    ...own,
    kind,
    plural: textOf(resource["resource"]),
    singular: textOf(resource["singularResource"]) || kind.toLowerCase(),
    shortNames: textsOf(resource["shortNames"]),
    categories: textsOf(resource["categories"]),
    namespaced: resource["scope"] === "Namespaced",
    verbs: textsOf(resource["verbs"]),
    subresources: arrayOf(resource["subresources"]).map((sub) => ({
      name: textOf(sub["subresource"]),
      kind: toKind(sub["responseKind"], own),
      verbs: textsOf(sub["verbs"]),
    })),
  };
}

// A server leaves group and version empty where they are the resource's own.
function toKind(value: Json | undefined, own: Omit<GroupVersionKind, "kind">): GroupVersionKind {
  const { group, version, kind } = asObject(value ?? {}, "responseKind");
  const isOwn = textOf(version) === "";
  return {
    group: isOwn ? own.group : textOf(group),
    version: isOwn ? own.version : textOf(version),
    kind: textOf(kind),
  };
}

function arrayOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((item: unknown) => asObject(item, "an entry of discovery")) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((item) => textOf(item)) : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
