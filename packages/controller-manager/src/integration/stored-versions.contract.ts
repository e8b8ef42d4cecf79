// The resourceVersion of everything that a server has stored: two looks that are equal say that nothing was written in between.
import type { KubernetesObject } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { preferredResources } from "@kubeloop/core/contract";

/** "pods scenario-1/web-abcde" to its uid and version. */
export type StoredVersions = Readonly<Record<string, string>>;

/** Renewed or counted all the time, by the server itself among others; or not stored. */
const passedOver = new Set(["componentstatuses", "leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

export async function storedVersions(client: Client, signal: AbortSignal): Promise<StoredVersions> {
  const served = await client.discovery.discover(signal);
  const versions: Record<string, string> = {};
  for (const resource of preferredResources(served, ["list"])) {
    const plural = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
    if (passedOver.has(plural)) continue;
    for await (const object of client.resource(resource).list({}, signal)) {
      const { namespace, name, uid, resourceVersion } = (object as KubernetesObject).metadata;
      const where = namespace === undefined ? name : `${namespace}/${name}`;
      versions[`${plural} ${where}`] = `${uid} at ${resourceVersion}`;
    }
  }
  return versions;
}

/** Objects that are stored in another version than before, or no more. */
export function rewritten(before: StoredVersions, after: StoredVersions): readonly string[] {
  return Object.entries(before)
    .filter(([what, version]) => after[what] !== version)
    .map(([what, version]) => `${what}: ${version}, then ${after[what] ?? "gone"}`);
}
