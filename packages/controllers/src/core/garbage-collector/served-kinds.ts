// Which resource serves a kind in a version. Only that very version counts: a reference to one that is served no longer is left alone, and
// looked at again, because what it meant is not known.

import type { Resource } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { preferredResources, type Served } from "@kubeloop/core/contract";

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

const indexes = new WeakMap<Served, ReadonlyMap<string, Resource>>();

/** Undefined when the server does not serve it in this version. Costs the same however much is served. */
export function resourceOf(served: Served, { apiVersion, kind }: Kind): Resource | undefined {
  const index = indexes.get(served) ?? indexKinds(served);
  return index.get(`${apiVersion} ${kind}`);
}

function indexKinds(served: Served): ReadonlyMap<string, Resource> {
  const index = new Map<string, Resource>();
  for (const resource of served.resources) {
    const id = `${resource.apiVersion} ${resource.kind}`;
    if (!index.has(id)) index.set(id, resource);
  }
  indexes.set(served, index);
  return index;
}

/** What is watched: every resource that can be listed, watched and deleted, in its preferred version; not events, which nobody owns. */
export function deletableResources(served: Served): readonly Resource[] {
  return preferredResources(served, ["delete", "list", "watch"]).filter(
    ({ group, plural }) => !(plural === "events" && (group === "" || group === "events.k8s.io")),
  );
}

export function newNotServed({ apiVersion, kind }: Kind): KubeloopError {
  return new KubeloopError(`unable to get REST mapping for ${apiVersion}/${kind}.`, { reason: "NoMatch" });
}
