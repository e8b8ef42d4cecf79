import { describe, expect, test } from "vitest";
import { userOf } from "../../authentication/users.ts";
import { askPlugin, resourceOf, type Told } from "./admission.fixture.ts";
import { clusterTrustBundleAttest } from "./cluster-trust-bundle-attest.ts";

const jane = userOf({ name: "jane" });

describe("a bundle of trust", () => {
  const bundle = (spec: object, metadata: object = {}) => ({ metadata: { name: "a", ...metadata }, spec });
  const [signed, later] = [{ signerName: "example.com/one" }, { signerName: "example.com/one", trustBundle: "b" }];
  const resource = resourceOf("certificates.k8s.io/clustertrustbundles", "v1beta1");
  const refusal =
    'clustertrustbundles.certificates.k8s.io "a" is forbidden: user not permitted to attest for signerName "example.com/one"';
  test.each<[string, Told, string]>([
    ["of nobody is made by anybody", { object: bundle({}), user: jane }, ""],
    ["of a signer is made by who may attest for it", { object: bundle(signed) }, ""],
    ["of a signer is not made by others", { object: bundle(signed), user: jane }, refusal],
    [
      "of a signer is not changed by others",
      { operation: "UPDATE", oldObject: bundle(signed), object: bundle(later), user: jane },
      refusal,
    ],
    [
      "of a signer is let go by others",
      { operation: "UPDATE", oldObject: bundle(signed, { finalizers: ["a/b"] }), object: bundle(signed), user: jane },
      "",
    ],
  ])("%s", async (_fact, given, expected) => {
    expect((await askPlugin(clusterTrustBundleAttest, { resource, ...given })).refusal).toBe(expected);
  });
});
