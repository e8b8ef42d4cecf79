// What a server serves, as far as controllers look at it. The client's `Discovered` satisfies this interface.
//
// Look at `failures` before treating a missing resource as deleted: its group may only have failed to be read.
import { parseGroupVersion, type Resource } from "../api/index.ts";

export interface Served {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: string | undefined }[];
  /** Of all versions. */
  readonly resources: readonly Resource[];
  /** By apiVersion, why its resources are not among the others. */
  readonly failures: ReadonlyMap<string, Error>;
}

/** Each resource once, in its group's preferred version (or, if that lacks it, the first that has it), if it has all these verbs. */
export function preferredResources(served: Served, verbs: readonly string[] = []): readonly Resource[] {
  const preferred = new Map(served.groups.map(({ name, preferredVersion }) => [name, preferredVersion]));
  const chosen = new Map<string, Resource>();
  for (const resource of served.resources) {
    const id = `${resource.group}/${resource.plural}`;
    if (!chosen.has(id) || resource.version === preferred.get(resource.group)) chosen.set(id, resource);
  }
  return [...chosen.values()].filter((resource) => verbs.every((verb) => resource.verbs.includes(verb)));
}

/** The resource that holds objects of a kind, as references name it; undefined when the server does not serve it. */
export function resourceOfKind(served: Served, reference: KindReference): Resource | undefined {
  const { group, version } = parseGroupVersion(reference.apiVersion);
  const ofKind = served.resources.filter((resource) => resource.group === group && resource.kind === reference.kind);
  return ofKind.find((resource) => resource.version === version) ?? ofKind[0];
}

/** Whether the absence of a kind means something: its group was read in full. */
export function isGroupKnown(served: Served, apiVersion: string): boolean {
  const { group } = parseGroupVersion(apiVersion);
  return ![...served.failures.keys()].some((failed) => parseGroupVersion(failed).group === group);
}

export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}
