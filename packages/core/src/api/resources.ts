// The registry of built-in resources: finding one by what a request, an object or a person calls it. Indexes are built
// on first use. It knows Kubernetes 1.36 and nothing of custom resources: those come from discovery, or from
// `defineResource`.
//
// Where several resources fit a name, the first in discovery's order wins: the core group before others, the preferred
// version before others, what a default server serves before the rest.
import { builtInResources } from "./generated/resources.ts";
import type { GroupVersionResource } from "./group-version.ts";
import type { GroupVersionKind, Resource } from "./resource.ts";

/** Every built-in resource, alpha and beta included, in discovery's order. */
export function allResources(): readonly Resource[] {
  return builtInResources;
}

/** By where it is served: `findResource({ group: "apps", version: "v1", resource: "deployments" })`. */
export function findResource(place: GroupVersionResource): Resource | undefined {
  return indexes().byPlace.get(`${place.group}/${place.version}/${place.resource}`);
}

/** By the kind of its objects. What only answers subresources (Scale, Eviction) is no resource. */
export function findResourceOfKind(kind: GroupVersionKind): Resource | undefined {
  return indexes().byKind.get(`${kind.group}/${kind.version}/${kind.kind}`);
}

/** By what an object says of itself. */
export function findResourceOfObject(object: {
  readonly apiVersion: string;
  readonly kind: string;
}): Resource | undefined {
  const { apiVersion, kind } = object;
  return indexes().byKind.get(apiVersion.includes("/") ? `${apiVersion}/${kind}` : `/${apiVersion}/${kind}`);
}

/**
 * By whatever a person types to kubectl: plural, singular or short name in any case, alone (`po`, `deploy`), with the
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

/** The members of a category: `resourcesInCategory("all")`. */
export function resourcesInCategory(category: string): readonly Resource[] {
  return builtInResources.filter((resource) => resource.servedByDefault && resource.categories.includes(category));
}

/** The version of a group that a server names first. */
export function preferredVersion(group: string): string | undefined {
  return builtInResources.find((resource) => resource.group === group)?.version;
}

interface Indexes {
  readonly byPlace: ReadonlyMap<string, Resource>;
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
  // Full names before short names: `events` is never another resource's abbreviation.
  for (const namesOf of [(r: Resource) => [r.plural, r.singular], (r: Resource) => r.shortNames]) {
    for (const resource of builtInResources) {
      for (const name of new Set(namesOf(resource))) byName.set(name, [...(byName.get(name) ?? []), resource]);
    }
  }
  const keyed = (last: (resource: Resource) => string) =>
    new Map(builtInResources.map((one) => [`${one.group}/${one.version}/${last(one)}`, one]));
  return { byPlace: keyed((one) => one.plural), byKind: keyed((one) => one.kind), byName };
}
