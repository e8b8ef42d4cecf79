// Which secrets are tokens, and whose.
import { type corev1, objectKeyOf } from "@kubeloop/core/api";
import { defineIndex } from "@kubeloop/core/contract";
import { secrets } from "@kubeloop/core/resources";

export const tokenSecretType = "kubernetes.io/service-account-token";
export const accountNameAnnotation = "kubernetes.io/service-account.name";
export const accountUidAnnotation = "kubernetes.io/service-account.uid";

/** The key of the account that the secret names, whether or not there is one; undefined for what is no token, or names none. */
export function accountKeyOf({ type, metadata }: corev1.Secret): string | undefined {
  const { [accountNameAnnotation]: name = "" } = metadata.annotations ?? {};
  // A user wrote the annotation: what no account can be called is nobody's.
  if (type !== tokenSecretType || name === "" || name.includes("/")) return undefined;
  return objectKeyOf(metadata.namespace ?? "", name);
}

/** The uid of the account that the secret names; "" while it names any account of that name. */
export function accountUidOf({ metadata }: corev1.Secret): string {
  return metadata.annotations?.[accountUidAnnotation] ?? "";
}

/** Whether the token is this account's, of which it is known that it has the right key. */
export function isTokenOf(secret: corev1.Secret, account: corev1.ServiceAccount | undefined): boolean {
  return account !== undefined && isMeant(account, accountUidOf(secret));
}

export function isMeant(account: corev1.ServiceAccount, uid: string): boolean {
  return uid === "" || uid === account.metadata.uid;
}

export const tokensByAccount = defineIndex("tokens-by-service-account", secrets, (secret) => {
  const key = accountKeyOf(secret);
  return key === undefined ? [] : [key];
});

/** The entry of an account's list that a deleted token leaves behind. */
export interface Reference {
  readonly accountKey: string;
  readonly accountUid: string;
  readonly secretName: string;
}

/** What of a deleted secret has to be known afterwards, as the key of a queue. */
export function referenceKeyOf(secret: corev1.Secret): readonly string[] {
  const accountKey = accountKeyOf(secret);
  return accountKey === undefined ? [] : [[accountKey, secret.metadata.name ?? "", accountUidOf(secret)].join("/")];
}

export function parseReferenceKey(key: string): Reference | undefined {
  const [namespace, account, secretName, accountUid, ...more] = key.split("/");
  if (namespace === undefined || account === undefined || secretName === undefined || accountUid === undefined) {
    return undefined;
  }
  return more.length > 0 ? undefined : { accountKey: objectKeyOf(namespace, account), accountUid, secretName };
}
