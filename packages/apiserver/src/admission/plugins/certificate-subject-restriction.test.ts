import { expect, test } from "vitest";
import { requestPem } from "../../integration/certificate-request.contract.ts";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";

/** Asks for the groups "team" and "system:masters", signed with a key that is nobody's. */
const mastersPem = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIH2MIGcAgEAMDoxDTALBgNVBAoMBHRlYW0xFzAVBgNVBAoMDnN5c3RlbTptYXN0",
  "ZXJzMRAwDgYDVQQDDAdzb21lb25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
  "cxyj42PbJ97xcfEKA/Msnz0jiolasQO240BKd27aQraKlvObv6xl92zGSxpvSMPi",
  "ei8mZw1j7nOCl9/5bZe9e6AAMAoGCCqGSM49BAMCA0kAMEYCIQCehNN+iOA14BA6",
  "tVHZwxjU7ijW55rsLtGs1SW5kHj/BAIhAKwpi11i6R8YTk9Yj0+bxFcHWyb69DuK",
  "GM4ykIwZb3Do",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");

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
