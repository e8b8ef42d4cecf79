// ClusterTrustBundleAttest: who publishes what certificates of a signer are trusted by may attest for that signer. (ClusterTrustBundles are served
// only with their feature gate.)
import { type KubernetesObject, quote, semanticEqual } from "@kubeloop/core/api";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";
import { mayActFor } from "./certificate-signers.ts";

export function clusterTrustBundleAttest({ authorizer }: AdmissionParts): AdmissionPlugin {
  return {
    name: "ClusterTrustBundleAttest",
    handles: ["CREATE", "UPDATE"],
    resources: ["certificates.k8s.io/clustertrustbundles"],
    async validate(attributes) {
      const { operation, object, oldObject, user } = attributes;
      const bundle = object as unknown as KubernetesObject & { readonly spec?: { readonly signerName?: string } };
      const signerName = bundle.spec?.signerName ?? "";
      if (signerName === "" || (operation === "UPDATE" && isSameBundle(bundle, oldObject))) return;
      if (await mayActFor(signerName, "attest", user, authorizer)) return;
      throw admissionForbidden(attributes, `user not permitted to attest for signerName ${quote(signerName)}`);
    },
  };
}

/** But for what the garbage collector changes. */
function isSameBundle(one: KubernetesObject, other: KubernetesObject | undefined): boolean {
  return other !== undefined && semanticEqual(essentialOf(one), essentialOf(other));
}

function essentialOf({ metadata, ...bundle }: KubernetesObject) {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...rest } = metadata;
  return { ...bundle, metadata: rest };
}
