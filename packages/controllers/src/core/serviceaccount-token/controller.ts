// serviceaccount-token-controller: fills secrets of type kubernetes.io/service-account-token, the tokens that do not expire, and deletes them
// with their service account. Nobody makes such secrets by itself any more: a user asks for a token by creating one.
//
// Read this first; then token-secret.ts (whose token a secret is), claims.ts (what a token says, and who signs it), observe.ts and decide.ts.
//
//   watches   service accounts that are deleted or replaced, and secrets of that type
//   asks      for the account before a token is deleted, for the secret before it is filled, and the signer for tokens
//   writes    secrets (update, delete), and the list of secrets in service accounts (update)
//
// Promises
// - A secret gets a token if it has none, the name of its namespace if it has none, and the authority unless it has this very one. A token or
//   a namespace that is there stays. The account's name and uid are written beside them.
// - A token is deleted when the server itself says that its account is gone or is another one by now: what a cache says is not enough.
// - A token that is deleted is struck from its account's list of secrets. Other entries stay, also those of secrets that are missing.
// - A key is tried eleven times, and then left alone until something changes.
import type { corev1 } from "@kubeloop/core/api";
import { type Change, itself, mapped, newController, queue, verbs } from "@kubeloop/core/contract";
import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { tokenSigner } from "./claims.ts";
import { decideAccount, decideReference, newDecideSecret } from "./decide.ts";
import { observeAccount, observeReference, observeSecret } from "./observe.ts";
import { referenceKeyOf, tokenSecretType, tokensByAccount } from "./token-secret.ts";

export interface ServiceAccountTokenSettings {
  /** Of each queue: `--concurrent-serviceaccount-token-syncs`. */
  readonly workers?: number;
  /** PEM, put into every token secret: `--root-ca-file`, or what the manager itself verifies the server with; none unless given. */
  readonly rootCa?: string;
}

export const newServiceAccountTokenController = ({ workers = 5, rootCa = "" }: ServiceAccountTokenSettings = {}) => {
  // All queues under one name, as upstream's.
  const options = { workers, metricName: "serviceaccount_tokens_service", retry: { maxTries: 11 } } as const;
  // Other secrets are not even cached.
  const tokens = { fieldSelector: `type=${tokenSecretType}` } as const;
  return newController({
    name: "serviceaccount-token-controller",
    primary: serviceAccounts,
    watches: [
      itself(serviceAccounts, { queue: "serviceaccounts", when: isGoneOrReplaced }),
      itself(secrets, { ...tokens, queue: "secrets", when: ({ type }) => type !== "delete" }),
      mapped(secrets, referenceKeyOf, { ...tokens, queue: "references", when: ({ type }) => type === "delete" }),
    ],
    indexes: [tokensByAccount],
    reads: [verbs(serviceAccounts, "get"), verbs(secrets, "get")],
    writes: [verbs(secrets, "update", "delete"), verbs(serviceAccounts, "update")],
    ports: [tokenSigner],
    queues: {
      serviceaccounts: queue({ ...options, observe: observeAccount, decide: decideAccount }),
      secrets: queue({ ...options, observe: observeSecret, decide: newDecideSecret(rootCa) }),
      references: queue({ ...options, observe: observeReference, decide: decideReference }),
    },
  });
};

/** Accounts that were deleted while nobody watched are found by their tokens, which are all looked at first. */
function isGoneOrReplaced(change: Change<corev1.ServiceAccount>): boolean {
  if (change.type === "update") return change.before.metadata.uid !== change.object.metadata.uid;
  return change.type === "delete";
}
