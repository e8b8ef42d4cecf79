// Converts the entries of one group-version's list to Resources, the same type as the built-in constants, so that a typed client
// takes both. Subresources are attached to their resource; of two entries with the same name the first counts.
//
// Discovery does not contain everything that a Resource has. For built-in kinds, list kind and schema
// come from the registry; for others the list kind is assumed to be the kind followed by `List`, although a CRD may
// override it.
import { type GroupVersion, printGroupVersion } from "../../api/group-version.ts";
import type { Resource, Subresource } from "../../api/resource.ts";
import { findResource } from "../../api/resources.ts";
import type { ResourceEntry } from "./decode-discovery.ts";

export function toResources(place: GroupVersion, entries: readonly ResourceEntry[]): readonly Resource[] {
  const owners = new Map<string, ResourceEntry>();
  const subresources = new Map<string, Map<string, Subresource>>();
  for (const entry of entries) {
    const slash = entry.name.indexOf("/");
    if (slash < 0) {
      if (!owners.has(entry.name)) owners.set(entry.name, entry);
      continue;
    }
    const owner = entry.name.slice(0, slash);
    const siblings = subresources.get(owner) ?? new Map<string, Subresource>();
    const sub = toSubresource(place, entry.name.slice(slash + 1), entry);
    if (!siblings.has(sub.name)) siblings.set(sub.name, sub);
    subresources.set(owner, siblings);
  }
  return [...owners.values()]
    .filter((entry) => entry.kind !== "")
    .map((entry) => toResource(place, entry, [...(subresources.get(entry.name)?.values() ?? [])]));
}

// The kind of a resource is in the group-version that lists it, whatever group the entry names, because that is
// the apiVersion of its objects.
function toResource(place: GroupVersion, entry: ResourceEntry, subresources: readonly Subresource[]): Resource {
  const { group, version } = place;
  const { name, kind, singular, shortNames, categories, namespaced, verbs } = entry;
  const registered = findResource({ group, version, resource: name });
  const known = registered?.kind === kind ? registered : undefined;
  return {
    group,
    version,
    apiVersion: printGroupVersion(place),
    kind,
    plural: name,
    singular: singular === "" ? kind.toLowerCase() : singular,
    shortNames,
    categories,
    namespaced,
    verbs,
    subresources,
    listKind: verbs.includes("list") ? (known?.listKind ?? `${kind}List`) : undefined,
    schemaName: known?.schemaName,
    servedByDefault: known?.servedByDefault ?? true,
  };
}

function toSubresource(place: GroupVersion, name: string, entry: ResourceEntry): Subresource {
  return {
    name,
    group: entry.group === "" ? place.group : entry.group,
    version: entry.version === "" ? place.version : entry.version,
    kind: entry.kind,
    verbs: entry.verbs,
  };
}
