import { expect, test } from "vitest";
import { systemAdmin, userOf } from "../../authentication/users.ts";
import type { Authorizer } from "../../authorization/attributes.ts";
import { askPlugin, resourceOf } from "./admission.fixture.ts";
import { certificateApproval, certificateSigning } from "./certificate-signers.ts";

const jane = userOf({ name: "jane" });
const resource = resourceOf("certificates.k8s.io/certificatesigningrequests");
const request = (status: object = {}, signerName = "example.com/s") => ({
  kind: "CertificateSigningRequest",
  apiVersion: "certificates.k8s.io/v1",
  metadata: { name: "a" },
  spec: { signerName, request: "" },
  status,
});
const update = { operation: "UPDATE", resource, namespace: "" } as const;
const forbidden = (why: string) =>
  `certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to ${why} requests with signerName "example.com/s"`;
const condition = { conditions: [{ type: "Failed", status: "True" }] };

test.each([
  ["an administrator approves", certificateApproval, systemAdmin, "approval", {}, ""],
  ["jane approves", certificateApproval, jane, "approval", {}, forbidden("approve")],
  ["jane writes a status", certificateApproval, jane, "status", {}, ""],
  ["an administrator signs", certificateSigning, systemAdmin, "status", { certificate: "x" }, ""],
  ["jane signs", certificateSigning, jane, "status", { certificate: "x" }, forbidden("sign")],
  ["jane fails it", certificateSigning, jane, "status", condition, forbidden("sign")],
  ["jane changes nothing", certificateSigning, jane, "status", {}, ""],
  ["jane writes its labels", certificateSigning, jane, "", { certificate: "x" }, ""],
] as const)("%s", async (_, plugin, user, subresource, status, refusal) => {
  const told = { ...update, user, subresource, object: request(status), oldObject: request() };
  expect((await askPlugin(plugin, told)).refusal).toBe(refusal);
});

test.each([
  ["example.com/s", ""],
  ["example.com/*", ""],
  ["example.com/other", forbidden("approve")],
])("who may act for %s", async (allowed, refusal) => {
  const authorizer: Authorizer = {
    async authorize(attributes) {
      const isSigner = attributes.isResourceRequest && attributes.resource === "signers";
      return { isAllowed: isSigner && attributes.name === allowed && attributes.verb === "approve", reason: "" };
    },
    rulesFor: async () => ({ resourceRules: [], nonResourceRules: [] }),
  };
  // Another signer in the new object changes nothing.
  const told = { ...update, user: jane, subresource: "approval", object: request({}, "x/y"), oldObject: request() };
  const { refusal: said } = await askPlugin((parts) => certificateApproval({ ...parts, authorizer }), told);
  expect(said).toBe(refusal);
});
