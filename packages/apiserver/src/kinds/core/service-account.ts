// ServiceAccount: whom a process in a pod speaks as. References to secrets keep nothing but the name.
import type { corev1 } from "@kubeloop/core/api";
import { serviceAccounts } from "@kubeloop/core/resources";
import type { Draft, KindRules } from "../kind-rules.ts";
import { printAge } from "../shared/print-age.ts";

const mountableOnly = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccountRules: KindRules<corev1.ServiceAccount> = {
  resource: serviceAccounts,
  metadataOnUpdate: ["changes", "whole"],
  deletion: { answersWithObject: true },
  prepareCreate: keepNames,
  prepareUpdate: keepNames,
  warnings({ metadata }, old) {
    const isNew =
      metadata.annotations?.[mountableOnly] !== undefined && old?.metadata.annotations?.[mountableOnly] === undefined;
    if (!isNew) return [];
    const why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    return [`metadata.annotations[${mountableOnly}]: ${why}`];
  },
  printRow: ({ metadata }, { nowMs }) => [metadata.name, printAge(metadata.creationTimestamp, nowMs)],
};

function keepNames(draft: Draft<corev1.ServiceAccount>): void {
  if (draft.secrets === undefined) return;
  draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
