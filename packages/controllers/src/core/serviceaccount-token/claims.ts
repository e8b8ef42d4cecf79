// What a token of a secret says, and who signs it. The names are upstream's: API servers find account and secret by them.
import type { corev1 } from "@kubeloop/core/api";
import { definePort } from "@kubeloop/core/contract";

const prefix = "kubernetes.io/serviceaccount";

/** The claims of a JWT, in the order in which upstream writes them. */
export interface TokenClaims {
  readonly iss: "kubernetes/serviceaccount";
  readonly [`kubernetes.io/serviceaccount/namespace`]: string;
  readonly [`kubernetes.io/serviceaccount/secret.name`]: string;
  readonly [`kubernetes.io/serviceaccount/service-account.name`]: string;
  readonly [`kubernetes.io/serviceaccount/service-account.uid`]: string;
  readonly sub: string;
}

/** Signs claims, and gives the JWT in its compact form. */
export const tokenSigner = definePort<TokenClaims, string>("service-account-token-signer");

export function newClaims(account: corev1.ServiceAccount, secret: corev1.Secret): TokenClaims {
  const { namespace = "", name = "", uid = "" } = account.metadata;
  return {
    iss: "kubernetes/serviceaccount",
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret.metadata.name ?? "",
    [`${prefix}/service-account.name`]: name,
    [`${prefix}/service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}
