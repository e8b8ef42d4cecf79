// The result of discovery, with the fields that controllers read. The type `Discovered` of the client satisfies this interface.
//
// Check `failures` before treating a missing resource as deleted: discovery of its group may have failed.
import { parseGroupVersion, type Resource } from "../api/index.ts";

export interface Served {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: string | undefined }[];
  /** The resources of all versions. */
  readonly resources: readonly Resource[];
  /** The apiVersions whose discovery failed, so that their resources are missing from `resources`, each with the error. */
  readonly failures: ReadonlyMap<string, Error>;
}

/**
 * Returns each resource that has all these verbs, in one version: the preferred version of its group, or the first version that has the
 * resource if the preferred one does not.
 */
export function preferredResources(served: Served, verbs: readonly string[] = []): readonly Resource[] {
  const preferred = new Map(served.groups.map(({ name, preferredVersion }) => [name, preferredVersion]));
  const chosen = new Map<string, Resource>();
  for (const resource of served.resources) {
    const id = `${resource.group}/${resource.plural}`;
    if (!chosen.has(id) || resource.version === preferred.get(resource.group)) chosen.set(id, resource);
  }
  return [...chosen.values()].filter((resource) => verbs.every((verb) => resource.verbs.includes(verb)));
}

/** Returns the resource for the apiVersion and kind of a reference; undefined if the server does not serve it. */
export function resourceOfKind(served: Served, reference: KindReference): Resource | undefined {
  const { group, version } = parseGroupVersion(reference.apiVersion);
  const ofKind = served.resources.filter((resource) => resource.group === group && resource.kind === reference.kind);
  return ofKind.find((resource) => resource.version === version) ?? ofKind[0];
}

/** Whether discovery of the whole group succeeded, so that a kind which is missing from it is certainly not served. */
export function isGroupKnown(served: Served, apiVersion: string): boolean {
  const { group } = parseGroupVersion(apiVersion);
  return ![...served.failures.keys()].some((failed) => parseGroupVersion(failed).group === group);
}

export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
}
