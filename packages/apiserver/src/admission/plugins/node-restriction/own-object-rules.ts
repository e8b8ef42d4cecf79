// The objects beside pods and its Node that a kubelet writes about itself: its Lease, its CSINode, its ResourceSlices and its requests for certificates.
import type { certificatesv1, resourcev1 } from "@kubeloop/core/api";
import { commonNameOf, requestSyntaxFault } from "../../../kinds/certificates/certificate-request.ts";
import type { NodeRequest, NodeRule } from "./node-rule.ts";

const leaseNamespace = "kube-node-lease";

export const leaseRule: NodeRule = async ({ nodeName, attributes }) => {
  const { namespace, name } = attributes;
  if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
  return name === nodeName ? undefined : "can only access node lease with the same name as the requesting node";
};

export const csiNodeRule: NodeRule = async ({ nodeName, attributes: { name } }) =>
  name === nodeName ? undefined : "can only access CSINode with the same name as the requesting node";

/** Updates are not looked at: which slices a node may update is the Node authorizer's to say. */
export const resourceSliceRule: NodeRule = async ({ nodeName, attributes }) => {
  const { operation, object, oldObject } = attributes;
  if (operation === "UPDATE") return undefined;
  const slice = (operation === "CREATE" ? object : oldObject) as unknown as resourcev1.ResourceSlice;
  if (slice.spec?.nodeName === nodeName) return undefined;
  const verb = operation === "CREATE" ? "create" : "delete";
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
};

const nodeSigners: readonly string[] = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];

/** The rest of a certificate for a node is checked by whoever signs it. */
export const signingRequestRule: NodeRule = async ({ nodeName, attributes }: NodeRequest) => {
  if (attributes.operation !== "CREATE") return undefined;
  const { spec } = attributes.object as unknown as certificatesv1.CertificateSigningRequest;
  if (!nodeSigners.includes(spec?.signerName ?? "")) return undefined;
  // Nothing has been checked yet: a field that Go prints as null may be null here.
  const request = spec?.request ?? "";
  const fault = requestSyntaxFault(request);
  if (fault !== undefined) return `unable to parse csr: ${fault}`;
  const wanted = `system:node:${nodeName}`;
  return commonNameOf(request) === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
};

/** The feature gate PodCertificateRequest is off by default in 1.36. */
export const podCertificateRule: NodeRule = async () => "PodCertificateRequest feature gate is disabled";
