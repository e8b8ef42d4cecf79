// Pure functions that return the object which a server stores after a write, from the stored object and the sent object:
//
// - if status is a subresource, a write changes either the status or the rest;
// - the generation increases when the desired state changes, for the kinds that have a generation;
// - a write cannot change identity and deletion.
//
// The sent object already has its defaults (fill-defaults.ts). Not here: validation, and field ownership (an apply is a merge).
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMerge,
  type JsonPatch,
  type KubernetesObject,
  type metav1,
  newBadRequest,
  printTime,
  type Resource,
} from "../../api/index.ts";
import { deepEqual } from "../../base/index.ts";

type Fields = KubernetesObject & Readonly<Record<string, unknown>>;

/** If status is a subresource, the status of a new object is dropped, as on a real server. */
export function stateAfterCreate(resource: Resource, sent: KubernetesObject): KubernetesObject {
  const { deletionTimestamp: _deleted, generation: _generation, ...metadata } = sent.metadata;
  const { status: _status, ...rest } = sent as Fields;
  const born = hasGeneration(resource) ? { ...metadata, generation: 1 } : metadata;
  return { ...(hasStatus(resource) ? rest : sent), metadata: born } as KubernetesObject;
}

/** `sent` is the whole object, even if only the status is written. */
export function stateAfterUpdate(
  { resource, subresource }: { readonly resource: Resource; readonly subresource: string },
  stored: KubernetesObject,
  sent: KubernetesObject,
): KubernetesObject {
  const { uid, resourceVersion } = sent.metadata;
  const claimed = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  if (subresource === "status") {
    const metadata = { ...stored.metadata, ...annotationsWithStatus(resource, stored, sent), ...claimed };
    return { ...withStatusOf(sent, stored), metadata };
  }
  const { generation = 1, deletionTimestamp, deletionGracePeriodSeconds } = stored.metadata;
  const wanted = hasStatus(resource) ? withStatusOf(stored, sent) : sent;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, generation: ___, ...metadata } = sent.metadata;
  const kept = {
    ...(hasGeneration(resource)
      ? { generation: isSameSubstance(resource, wanted, stored) ? generation : generation + 1 }
      : {}),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
  return { ...wanted, metadata: { ...metadata, ...kept } };
}

/** The status of a Deployment takes annotations, because its revision is written with it; of custom kinds it takes no metadata. */
function annotationsWithStatus({ group, kind }: Resource, stored: KubernetesObject, sent: KubernetesObject) {
  const { annotations = stored.metadata.annotations } = sent.metadata;
  return group === "apps" && kind === "Deployment" && annotations !== undefined ? { annotations } : {};
}

/** Returns the object with the patch applied. The caller still has to write it, with `stateAfterUpdate`. */
export function patched(stored: KubernetesObject, body: unknown, contentType: string): KubernetesObject {
  const type = contentType.split(";")[0]?.trim();
  switch (type) {
    case "application/json-patch+json":
      return applyJsonPatch(stored as never, body as JsonPatch) as unknown as KubernetesObject;
    case "application/strategic-merge-patch+json":
      return applyStrategicMerge(stored, body as object) as unknown as KubernetesObject;
    case "application/merge-patch+json":
    case "application/apply-patch+yaml":
      return applyMergePatch(stored, body) as KubernetesObject;
    default:
      throw newBadRequest(`this server takes no patches of type ${type}`);
  }
}

/** Returns the object with a deletionTimestamp and the finalizers of the policy. A second delete keeps the first deletionTimestamp. */
export function stateAfterDelete(
  stored: KubernetesObject,
  options: Pick<metav1.DeleteOptions, "propagationPolicy">,
  nowMs: number,
): KubernetesObject {
  const { finalizers = [], deletionTimestamp = printTime(nowMs) } = stored.metadata;
  const extra = { Foreground: ["foregroundDeletion"], Orphan: ["orphan"], Background: [] }[
    options.propagationPolicy ?? "Background"
  ];
  const held = [...new Set([...finalizers, ...(extra ?? [])])];
  return { ...stored, metadata: { ...stored.metadata, deletionTimestamp, finalizers: held } };
}

/** Whether the object has a deletionTimestamp and no finalizers, so that it is removed from the storage. */
export function isOver({ metadata, ...object }: KubernetesObject): boolean {
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } };
  const own = object.kind === "Namespace" ? (spec?.finalizers ?? []) : [];
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length + own.length === 0;
}

function hasStatus({ subresources }: Resource): boolean {
  return subresources.some(({ name }) => name === "status");
}

function withStatusOf(source: KubernetesObject, object: KubernetesObject): KubernetesObject {
  const { status: _, ...rest } = object as Fields;
  const { status } = source as Fields;
  return (status === undefined ? rest : { ...rest, status }) as KubernetesObject;
}

/** Returns the generation after a change of the whole object, including the status. */
export function generationAfter(resource: Resource, stored: KubernetesObject, sent: KubernetesObject): object {
  if (!hasGeneration(resource)) return {};
  const { generation = 1 } = stored.metadata;
  return { generation: isSameSubstance(resource, sent, stored) ? generation : generation + 1 };
}

function isSameSubstance(resource: Resource, one: KubernetesObject, other: KubernetesObject): boolean {
  return deepEqual(substanceOf(resource, one), substanceOf(resource, other));
}

/**
 * Returns the part of the object whose changes increase the generation: all but metadata and status. For a custom kind without a status
 * subresource, the status is included.
 */
function substanceOf(resource: Resource, object: KubernetesObject): object {
  const { metadata: _metadata, status, apiVersion: _apiVersion, kind: _kind, ...rest } = object as Fields;
  const isPart = resource.schemaName === undefined && !hasStatus(resource) && status !== undefined;
  return isPart ? { ...rest, status } : rest;
}

/** Whether objects of the resource have a generation: all custom kinds, and the built-in kinds in `withGeneration`. */
function hasGeneration({ schemaName, group, plural }: Resource): boolean {
  return schemaName === undefined || withGeneration.has(group) || withGeneration.has(`${group}/${plural}`);
}

const withGeneration: ReadonlySet<string> = new Set([
  "/pods",
  "/podtemplates",
  "/replicationcontrollers",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apps/daemonsets",
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
  "batch",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/ingresses",
  "networking.k8s.io/networkpolicies",
  "policy/poddisruptionbudgets",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/resourceslices",
]);
