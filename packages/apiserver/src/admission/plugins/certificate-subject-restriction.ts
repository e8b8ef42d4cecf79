// CertificateSubjectRestriction: nobody becomes a master by a certificate for clients of the API server.
import type { certificatesv1 } from "@kubeloop/core/api";
import { organizationsOf } from "../../kinds/certificates/certificate-request.ts";
import { type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const signer = "kubernetes.io/kube-apiserver-client";
const masters = "system:masters";

export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: "CertificateSubjectRestriction",
    handles: ["CREATE"],
    resources: ["certificates.k8s.io/certificatesigningrequests"],
    async validate(attributes) {
      if (attributes.subresource !== "") return;
      const { spec } = attributes.object as unknown as certificatesv1.CertificateSigningRequest;
      if (spec.signerName !== signer || organizationsOf(spec.request)?.includes(masters) !== true) return;
      throw admissionForbidden(attributes, `use of ${signer} signer with ${masters} group is not allowed`);
    },
  };
}
