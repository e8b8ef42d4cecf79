// What a server stores after a write, as pure functions from what it had and what was sent: status apart from the rest where that is a
// subresource, a generation that counts changes of what is wanted (of the kinds that have one), identity and deletion that no writer can
// change. What is given here has its defaults already (fill-defaults.ts).
//
// Not here: validation, who owns which field (an apply is a merge).
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

/** Nobody's status is believed at birth. */
export function stateAfterCreate(resource: Resource, sent: KubernetesObject): KubernetesObject {
  const { deletionTimestamp: _deleted, generation: _generation, ...metadata } = sent.metadata;
  const { status: _status, ...rest } = sent as Fields;
  const born = hasGeneration(resource) ? { ...metadata, generation: 1 } : metadata;
  return { ...(hasStatus(resource) ? rest : sent), metadata: born } as KubernetesObject;
}

/** `sent` is the whole object, whichever part of it is written. */
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
  if (subresource === "status") return { ...withStatusOf(sent, stored), metadata: { ...stored.metadata, ...claimed } };
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

/** The object that a patch asks for; still to be written as an update of the whole or of a part. */
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

/** As it is until its finalizers are gone; deleting it again changes nothing. */
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

/** On its way out, and nobody holds it. */
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

/** Of an object changed by somebody, status included: the generation that it has then. */
export function generationAfter(resource: Resource, stored: KubernetesObject, sent: KubernetesObject): object {
  if (!hasGeneration(resource)) return {};
  const { generation = 1 } = stored.metadata;
  return { generation: isSameSubstance(resource, sent, stored) ? generation : generation + 1 };
}

function isSameSubstance(resource: Resource, one: KubernetesObject, other: KubernetesObject): boolean {
  return deepEqual(substanceOf(resource, one), substanceOf(resource, other));
}

/** What a change of which makes a new generation: of a custom kind without a status subresource, the status, too. */
function substanceOf(resource: Resource, object: KubernetesObject): object {
  const { metadata: _metadata, status, apiVersion: _apiVersion, kind: _kind, ...rest } = object as Fields;
  const isPart = resource.schemaName === undefined && !hasStatus(resource) && status !== undefined;
  return isPart ? { ...rest, status } : rest;
}

/** Every custom kind, and of the built-in ones these. */
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
