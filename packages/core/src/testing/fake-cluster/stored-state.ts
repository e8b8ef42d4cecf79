// What a server stores after a write, as pure functions from what it had and what was sent: status apart from the rest where that is a
// subresource, a generation that counts changes of what is wanted, identity and deletion that no writer can change.
//
// Not here: validation, defaults, who owns which field (an apply is a merge).
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
  const { deletionTimestamp: _deleted, ...metadata } = sent.metadata;
  const { status: _status, ...rest } = sent as Fields;
  const object = { ...(hasStatus(resource) ? rest : sent), metadata: { ...metadata, generation: 1 } };
  return object as KubernetesObject;
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
  const isSame = deepEqual(substanceOf(wanted), substanceOf(stored));
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = sent.metadata;
  const kept = {
    generation: isSame ? generation : generation + 1,
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
  options: metav1.DeleteOptions,
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

/** What a change of which makes a new generation. */
function substanceOf(object: KubernetesObject): object {
  const { metadata: _metadata, status: _status, apiVersion: _apiVersion, kind: _kind, ...rest } = object as Fields;
  return rest;
}
