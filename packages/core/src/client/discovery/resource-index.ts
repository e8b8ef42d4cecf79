// Finds discovered resources by kind, by a name as typed to kubectl, and by category. Pure: an index is built once per
// discovery result.
//
// If several match, they come in kubectl's order of preference: the core group, then groups in the server's
// order; in each the preferred version, then the others in the server's order. A full name takes precedence over short names:
// `events` is never the short name of another resource.
import type { GroupResource } from "../../api/group-version.ts";
import type { Resource } from "../../api/resource.ts";
import type { Discovered } from "./discovered.ts";

/** A kind; without a version, any version. */
export interface KindQuery {
  /** Empty for the core group. */
  readonly group: string;
  readonly version?: string;
  readonly kind: string;
}

/** Matches plural, singular, kind or short name, ignoring case. An absent group or version matches any; "" is the core group. */
export interface ResourceQuery extends Pick<GroupResource, "resource"> {
  readonly group?: string;
  readonly version?: string;
}

export interface ResourceIndex {
  readonly inOrder: readonly Resource[];
  readonly byKind: ReadonlyMap<string, readonly Resource[]>;
  readonly byName: ReadonlyMap<string, readonly Resource[]>;
  readonly byShortName: ReadonlyMap<string, readonly Resource[]>;
}

export function indexResources({ groups, resources }: Discovered): ResourceIndex {
  const ranks = new Map(groups.map(({ name, preferredVersion }, rank) => [name, { rank, preferredVersion }]));
  const rankOf = ({ group, version }: Resource) => {
    const { rank = ranks.size, preferredVersion } = ranks.get(group) ?? {};
    return 2 * rank + (version === preferredVersion ? 0 : 1);
  };
  const inOrder = resources.toSorted((a, b) => rankOf(a) - rankOf(b));
  return {
    inOrder,
    byKind: grouped(inOrder, (one) => [`${one.group}/${one.kind}`]),
    byName: grouped(inOrder, (one) => [one.plural, one.singular, one.kind]),
    byShortName: grouped(inOrder, (one) => one.shortNames),
  };
}

/** Returns the resources of a kind, the preferred version first. Kinds are case-sensitive. */
export function resourcesOfKind(index: ResourceIndex, { group, version, kind }: KindQuery): readonly Resource[] {
  const found = index.byKind.get(`${group}/${kind}`.toLowerCase()) ?? [];
  return found.filter((one) => one.kind === kind && (version === undefined || one.version === version));
}

/** Returns all matches, the best first. The text is parsed as by kubectl: `deploy`, `deployments.apps`, `deployments.v1.apps`. */
export function resourcesNamed(index: ResourceIndex, asked: string | ResourceQuery): readonly Resource[] {
  for (const query of typeof asked === "string" ? readings(asked) : [asked]) {
    for (const names of [index.byName, index.byShortName]) {
      const found = (names.get(query.resource.toLowerCase()) ?? []).filter((one) => fits(one, query));
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** Returns the members of a category ("all"), each in the first version that has it. */
export function resourcesOfCategory(index: ResourceIndex, category: string): readonly Resource[] {
  const seen = new Set<string>();
  return index.inOrder.filter(({ group, plural, categories }) => {
    const key = `${group}/${plural}`;
    if (!categories.includes(category) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

// The part after the first dot may be version and group, or a group with dots.
function readings(text: string): readonly ResourceQuery[] {
  const [resource = "", ...rest] = text.toLowerCase().split(".");
  if (rest.length === 0) return [{ resource }];
  const [version = "", ...group] = rest;
  return [
    { resource, version, group: group.join(".") },
    { resource, group: rest.join(".") },
  ];
}

function fits(resource: Resource, { group, version }: ResourceQuery): boolean {
  return (group === undefined || resource.group === group) && (version === undefined || resource.version === version);
}

function grouped(
  resources: readonly Resource[],
  keysOf: (resource: Resource) => readonly string[],
): ReadonlyMap<string, readonly Resource[]> {
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    for (const key of new Set(keysOf(resource).map((one) => one.toLowerCase()))) {
      const members = groups.get(key);
      if (members === undefined) groups.set(key, [resource]);
      else members.push(resource);
    }
  }
  return groups;
}
