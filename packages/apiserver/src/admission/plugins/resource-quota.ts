// ResourceQuota: what a namespace's quotas do not allow is refused. What they do allow is charged together with the write, by the reservation of the
// same name (`reservations/charge-quotas.ts`): so writes that race never exceed a quota.
import type { corev1 } from "@kubeloop/core/api";
import type { AdmissionParts, AdmissionPlugin } from "../plugin.ts";
import { chargeQuotas } from "./quota-evaluation.ts";

export function resourceQuota({ storage, clock }: AdmissionParts): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    handles: ["CREATE", "UPDATE"],
    async validate(attributes) {
      const { namespace, resource } = attributes;
      if (namespace === "" || resource.resource === "namespaces") return;
      const { objects } = await storage.list("resourcequotas", { prefix: `${namespace}/` });
      chargeQuotas(attributes, objects as readonly corev1.ResourceQuota[], clock.now());
    },
  };
}
