// Where the object of a manifest belongs on the server: its kind as the server serves it, and its namespace.
import { parseGroupVersion } from "@kubeloop/core/api";
import { NoMatchError } from "@kubeloop/core/client";
import { KubectlError } from "./kubectl-error.ts";
import type { Manifest } from "./manifests.ts";
import type { AnyObject } from "./object-printer.ts";
import type { OpenCluster } from "./open-cluster.ts";
import type { NamedPlace } from "./targets.ts";

export interface PlacedManifest extends Manifest {
  readonly place: NamedPlace;
}

/** The object gets the namespace that it lacks. */
export async function placeManifest(
  { object, source }: Manifest,
  cluster: OpenCluster,
  signal: AbortSignal,
): Promise<PlacedManifest> {
  const { apiVersion, kind } = object;
  const { name = "", namespace = "" } = object.metadata ?? {};
  const { group, version } = parseGroupVersion(apiVersion);
  try {
    const resource = await cluster.client.mapper.resourceForKind({ group, version, kind }, signal);
    if (!resource.namespaced) return { object, source, place: { resource, namespace: undefined, name } };
    const own = namespace === "" ? cluster.namespace : namespace;
    if (cluster.isNamespaceGiven && own !== cluster.namespace)
      throw new KubectlError(contradiction(own, cluster.namespace));
    return { object: inNamespace(object, own), source, place: { resource, namespace: own, name } };
  } catch (error) {
    if (!(error instanceof NoMatchError)) throw error;
    const what = `resource mapping not found for name: ${JSON.stringify(name)} namespace: ${JSON.stringify(namespace)}`;
    const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw new KubectlError(`${what} from ${JSON.stringify(source)}: ${why}\nensure CRDs are installed first`);
  }
}

function inNamespace(object: AnyObject, namespace: string): AnyObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function contradiction(own: string, given: string): string {
  return `the namespace from the provided object ${JSON.stringify(own)} does not match the namespace ${JSON.stringify(given)}. You must pass '--namespace=${own}' to perform this operation.`;
}
