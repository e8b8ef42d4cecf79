// Pods: a node creates only mirror pods of its own, deletes and evicts only pods that are bound to it, and writes nothing but their status.
import { type corev1, quote } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { findApiReference } from "./api-references.ts";
import { type NodeRequest, type NodeRule, readOrThrow } from "./node-rule.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

export const podRule: NodeRule = async (request) => {
  const { subresource } = request.attributes;
  switch (subresource) {
    case "":
      return await ownPodFault(request);
    case "status":
      return statusFault(request);
    case "eviction":
      return await evictionFault(request);
    default:
      return `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`;
  }
};

async function ownPodFault(request: NodeRequest): Promise<string | undefined> {
  const { nodeName, attributes } = request;
  const { operation, namespace, name } = attributes;
  if (operation === "CREATE") return await creationFault(request);
  if (operation !== "DELETE") {
    return `unexpected operation ${quote(operation)}, node ${quote(nodeName)} can only create and delete mirror pods`;
  }
  const { spec } = await readOrThrow<corev1.Pod>(request.parts.storage, "pods", { namespace, name });
  if (spec.nodeName === nodeName) return undefined;
  return `node ${quote(nodeName)} can only delete pods with spec.nodeName set to itself`;
}

async function creationFault(request: NodeRequest): Promise<string | undefined> {
  const { nodeName, attributes } = request;
  const pod = attributes.object as unknown as corev1.Pod;
  const node = `node ${quote(nodeName)}`;
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined) {
    return `pod does not have ${quote(mirrorAnnotation)} annotation, ${node} can only create mirror pods`;
  }
  if (pod.spec?.nodeName !== nodeName) return `${node} can only create pods with spec.nodeName set to itself`;
  return (await ownerFault(request, pod)) ?? referenceFault(nodeName, pod);
}

/** The owner of a mirror pod is its node, under the uid that the node has now, so that the pod is deleted with the node. */
async function ownerFault(
  { nodeName, parts }: NodeRequest,
  { metadata: { ownerReferences = [] } }: corev1.Pod,
): Promise<string | undefined> {
  const node = `node ${quote(nodeName)}`;
  const [owner, ...others] = ownerReferences;
  if (others.length > 0) return `${node} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== nodeName) {
    return `${node} can only create pods with an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${node} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${node} must not set blockOwnerDeletion on an owner reference`;
  const { uid = "" } = (await readOrThrow<corev1.Node>(parts.storage, "nodes", { name: nodeName })).metadata;
  if ((owner.uid ?? "") === uid) return undefined;
  return `node ${nodeName} UID mismatch: expected ${owner.uid ?? ""} got ${uid}`;
}

function referenceFault(nodeName: string, pod: corev1.Pod): string | undefined {
  const found = findApiReference(pod.spec);
  if (found === undefined) return undefined;
  if (found.kind === "unknown") return `error checking mirror pod for API references: ${found.why}`;
  return `node ${quote(nodeName)} can not create pods that reference ${found.what}`;
}

function statusFault({ nodeName, attributes }: NodeRequest): string | undefined {
  const { operation } = attributes;
  if (operation !== "UPDATE") return `unexpected operation ${quote(operation)}`;
  const [old, pod] = [attributes.oldObject as corev1.Pod, attributes.object as unknown as corev1.Pod];
  const node = `node ${quote(nodeName)}`;
  if (old.spec?.nodeName !== nodeName) {
    return `${node} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!deepEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {})) {
    return `${node} cannot update labels through pod status`;
  }
  // "statues" is upstream's spelling.
  if (!deepEqual(old.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? [])) {
    return `${node} cannot update resource claim statues`;
  }
  if (deepEqual(old.status?.extendedResourceClaimStatus, pod.status?.extendedResourceClaimStatus)) return undefined;
  return `${node} cannot update extended resource claim status`;
}

async function evictionFault({ nodeName, attributes, parts }: NodeRequest): Promise<string | undefined> {
  const { operation, namespace, name } = attributes;
  if (operation !== "CREATE") return `unexpected operation ${operation}`;
  if (name === "") return "could not determine pod from request data";
  const { spec } = await readOrThrow<corev1.Pod>(parts.storage, "pods", { namespace, name });
  return spec.nodeName === nodeName
    ? undefined
    : `node ${nodeName} can only evict pods with spec.nodeName set to itself`;
}
