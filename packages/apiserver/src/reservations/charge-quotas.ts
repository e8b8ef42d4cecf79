// What a write costs its namespace's quotas, written to their status together with the object or not at all. Whoever is beaten to the last of a quota
// is refused. Nothing is given back here: when something is deleted, the resourcequota controller counts anew, as upstream's does.
import type { corev1, KubernetesObject } from "@kubeloop/core/api";
import { chargeQuotas, type QuotaCharge } from "../admission/plugins/quota-evaluation.ts";
import type { Draft } from "../kinds/kind-rules.ts";
import { admissionAttributesOf } from "../resources/registry/admission-attributes.ts";
import { revisionOf } from "../resources/registry/guaranteed-update.ts";
import type { Reserver } from "../resources/registry/reservations.ts";
import type { WriteContext } from "../resources/registry/write-context.ts";
import type { Write } from "../storage/storage.ts";

const collection = "resourcequotas";

export const quotaUsage: Reserver = {
  name: "ResourceQuota",
  async plan({ context, operation, draft, old, isDryRun }) {
    const { server, namespace, served } = context;
    if (draft === undefined || namespace === "" || served.collection === "namespaces") return undefined;
    const attributes = admissionAttributesOf(context, { operation, object: draft, oldObject: old, isDryRun });
    return {
      async writes() {
        const { objects } = await server.storage.list(collection, { prefix: `${namespace}/` });
        const charges = chargeQuotas(attributes, objects as readonly corev1.ResourceQuota[], server.clock.now());
        return isDryRun ? [] : charges.map((charge) => writeOf(context, charge));
      },
    };
  },
};

function writeOf(context: WriteContext, { quota, used }: QuotaCharge): Write {
  const { namespace, name } = quota.metadata;
  const draft = {
    ...quota,
    metadata: { ...quota.metadata },
    status: { ...quota.status, used },
  } as unknown as Draft<KubernetesObject>;
  recordStatus(context, draft, quota as KubernetesObject);
  return {
    collection,
    key: `${namespace}/${name}`,
    expected: revisionOf(quota as KubernetesObject),
    object: draft as KubernetesObject,
  };
}

/** The server writes it as a client of its own would, through the quota's status. */
function recordStatus(context: WriteContext, draft: Draft<KubernetesObject>, old: KubernetesObject): void {
  const served = context.server.catalogue.find({ group: "", version: "v1", plural: collection });
  const subresource = served?.resource.subresources.find(({ name }) => name === "status");
  if (served === undefined || subresource === undefined) return;
  const through = { ...context, served, subresource };
  context.server.fieldManagers.recordBuiltIn({ context: through, draft, old, manager: "kube-apiserver" });
}
