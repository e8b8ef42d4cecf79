// The registry of built-in resources: finds one by GroupVersionResource, by kind or by name. Indexes are built
// on first use. It contains the resources of Kubernetes 1.36 and no custom resources: those come from discovery, or from
// `defineResource`.
//
// If several resources match a name, the first in discovery order wins: the core group before others, the preferred
// version before others, resources served by default before others.
import { builtInResources } from "./generated/resources.ts";
import type { GroupVersionResource } from "./group-version.ts";
import type { GroupVersionKind, Resource } from "./resource.ts";

/** Returns every built-in resource, including alpha and beta, in discovery order. */
export function allResources(): readonly Resource[] {
  return builtInResources;
}

/** Finds by group, version and plural: `findResource({ group: "apps", version: "v1", resource: "deployments" })`. */
export function findResource(place: GroupVersionResource): Resource | undefined {
  return indexes().byGroupVersionResource.get(`${place.group}/${place.version}/${place.resource}`);
}

/** Finds by kind. Kinds that only subresources use (Scale, Eviction) are not found. */
export function findResourceOfKind(kind: GroupVersionKind): Resource | undefined {
  return indexes().byKind.get(`${kind.group}/${kind.version}/${kind.kind}`);
}

/** Finds by an object's apiVersion and kind. */
export function findResourceOfObject(object: {
  readonly apiVersion: string;
  readonly kind: string;
}): Resource | undefined {
  const { apiVersion, kind } = object;
  return indexes().byKind.get(apiVersion.includes("/") ? `${apiVersion}/${kind}` : `/${apiVersion}/${kind}`);
}

/**
 * Finds by a name as typed to kubectl: plural, singular or short name in any case, alone (`po`, `deploy`), with the
 * group (`deployments.apps`) or with version and group (`deployments.v1.apps`).
 */
export function findResourceNamed(name: string): Resource | undefined {
  const { byName } = indexes();
  const [word = "", ...rest] = name.toLowerCase().split(".");
  const candidates = byName.get(word) ?? [];
  const group = rest.join(".");
  if (group === "") return candidates[0];
  const [version, ...groupParts] = rest;
  return (
    candidates.find((resource) => resource.group === group) ??
    candidates.find((resource) => resource.version === version && resource.group === groupParts.join("."))
  );
}

/** Returns the members of a category that are served by default: `resourcesInCategory("all")`. */
export function resourcesInCategory(category: string): readonly Resource[] {
  return builtInResources.filter((resource) => resource.servedByDefault && resource.categories.includes(category));
}

/** Returns the version of a group that a server prefers. */
export function preferredVersion(group: string): string | undefined {
  return builtInResources.find((resource) => resource.group === group)?.version;
}

interface Indexes {
  readonly byGroupVersionResource: ReadonlyMap<string, Resource>;
  readonly byKind: ReadonlyMap<string, Resource>;
  readonly byName: ReadonlyMap<string, readonly Resource[]>;
}

let built: Indexes | undefined;

function indexes(): Indexes {
  built ??= buildIndexes();
  return built;
}

function buildIndexes(): Indexes {
  const byName = new Map<string, Resource[]>();
  // Full names before short names: `events` is never the short name of another resource.
  for (const namesOf of [(r: Resource) => [r.plural, r.singular], (r: Resource) => r.shortNames]) {
    for (const resource of builtInResources) {
      for (const name of new Set(namesOf(resource))) byName.set(name, [...(byName.get(name) ?? []), resource]);
    }
  }
  const keyed = (last: (resource: Resource) => string) =>
    new Map(builtInResources.map((one) => [`${one.group}/${one.version}/${last(one)}`, one]));
  return { byGroupVersionResource: keyed((one) => one.plural), byKind: keyed((one) => one.kind), byName };
}
