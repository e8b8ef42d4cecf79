import { expect, test } from "vitest";
import { mastersPem, requestPem } from "../../integration/certificate-request.contract.ts";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";

const client = "kubernetes.io/kube-apiserver-client";
const refused = `certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of ${client} signer with system:masters group is not allowed`;

test.each([
  ["a team's client", client, requestPem, ""],
  ["a master's client", client, mastersPem, refused],
  ["a master's, by a signer of one's own", "example.com/s", mastersPem, ""],
  ["nonsense, which its rules refuse", client, "nonsense", ""],
])("a certificate for %s", async (_, signerName, pem, refusal) => {
  const spec = { signerName, request: Buffer.from(pem).toString("base64") };
  const object = { kind: "CertificateSigningRequest", metadata: { name: "a" }, spec };
  const resource = resourceOf("certificates.k8s.io/certificatesigningrequests");
  const said = await askPlugin(certificateSubjectRestriction, { object, resource, namespace: "" });
  expect(said.refusal).toBe(refusal);
});
