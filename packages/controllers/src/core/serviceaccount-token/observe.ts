// What the token controller looks at: for an account its tokens, for a token its account, for a deleted token the account that listed it.
import type { corev1 } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { secrets, serviceAccounts } from "@kubeloop/core/resources";
import { accountKeyOf, isMeant, parseReferenceKey, type Reference, tokensByAccount } from "./token-secret.ts";

export interface ObservedAccount {
  readonly accountKey: string;
  readonly account: corev1.ServiceAccount | undefined;
  /** All secrets that name the account, in this life or an earlier one. */
  readonly tokens: readonly corev1.Secret[];
}

export function observeAccount(accountKey: string, { snapshot }: View): ObservedAccount {
  const account = snapshot.get(serviceAccounts, accountKey);
  return { accountKey, account, tokens: snapshot.byIndex(tokensByAccount, accountKey) };
}

export interface ObservedSecret {
  readonly secret: corev1.Secret;
  readonly accountKey: string;
  /** Of that key, whichever uid it has. */
  readonly account: corev1.ServiceAccount | undefined;
}

/** Undefined when there is no such secret (any more), or it is nobody's token. */
export function observeSecret(key: string, { snapshot }: View): ObservedSecret | undefined {
  const secret = snapshot.get(secrets, key);
  const accountKey = secret && accountKeyOf(secret);
  if (secret === undefined || accountKey === undefined) return undefined;
  return { secret, accountKey, account: snapshot.get(serviceAccounts, accountKey) };
}

/** Undefined when the account is gone as well, or is another one by now. */
export function observeReference(key: string, { snapshot }: View): Reference | undefined {
  const reference = parseReferenceKey(key);
  const account = reference && snapshot.get(serviceAccounts, reference.accountKey);
  return account !== undefined && isMeant(account, reference?.accountUid ?? "") ? reference : undefined;
}
