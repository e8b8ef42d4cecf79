// What the serviceaccount controller looks at for one key: the namespace, and which of the accounts it must have are missing.
import { type corev1, objectKeyOf } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import { namespaces, serviceAccounts } from "@kubeloop/core/resources";

export interface Observed {
  readonly namespace: corev1.Namespace;
  /** Names of accounts, in the order of the settings. */
  readonly missing: readonly string[];
}

/** Undefined when there is no such namespace (any more). */
export const newObserve =
  (accounts: readonly string[]) =>
  (key: string, { snapshot }: View): Observed | undefined => {
    const namespace = snapshot.get(namespaces, key);
    if (namespace === undefined) return undefined;
    const missing = accounts.filter((name) => snapshot.get(serviceAccounts, objectKeyOf(key, name)) === undefined);
    return { namespace, missing };
  };
