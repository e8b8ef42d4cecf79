// CertificateApproval and CertificateSigning: whoever may write to a request's approval or status must also have the right to approve or sign for the
// signer that the request names.
import type { certificatesv1 } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import type { Authorizer } from "../../authorization/attributes.ts";
import type { RequestUser } from "../../kinds/kind-rules.ts";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

const resources = ["certificates.k8s.io/certificatesigningrequests"];

export function certificateApproval({ authorizer }: AdmissionParts): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    handles: ["UPDATE"],
    resources,
    async validate(attributes) {
      if (attributes.subresource !== "approval") return;
      // As it was: nobody gets around this by naming another signer in the same request.
      const { signerName } = (attributes.oldObject as certificatesv1.CertificateSigningRequest).spec;
      if (await mayActFor(signerName, "approve", attributes.user, authorizer)) return;
      throw admissionForbidden(attributes, `user not permitted to approve requests with signerName "${signerName}"`);
    },
  };
}

export function certificateSigning({ authorizer }: AdmissionParts): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    handles: ["UPDATE"],
    resources,
    async validate(attributes) {
      if (attributes.subresource !== "status") return;
      const old = attributes.oldObject as certificatesv1.CertificateSigningRequest;
      const { status } = attributes.object as unknown as certificatesv1.CertificateSigningRequest;
      const isSame =
        status?.certificate === old.status?.certificate &&
        deepEqual(status?.conditions ?? [], old.status?.conditions ?? []);
      if (isSame) return;
      const { signerName } = old.spec;
      if (await mayActFor(signerName, "sign", attributes.user, authorizer)) return;
      throw admissionForbidden(attributes, `user not permitted to sign requests with signerName "${signerName}"`);
    },
  };
}

/** For this signer, or for all of its domain. */
export async function mayActFor(
  signerName: string,
  verb: string,
  user: RequestUser,
  authorizer: Authorizer,
): Promise<boolean> {
  const about = { isResourceRequest: true, user, verb, group: "certificates.k8s.io", version: "*" } as const;
  const where = { resource: "signers", subresource: "", namespace: "" };
  for (const name of [signerName, `${signerName.split("/")[0]}/*`]) {
    if ((await authorizer.authorize({ ...about, ...where, name })).isAllowed) return true;
  }
  return false;
}
