// The rules of the root CA publisher: what its ConfigMap must look like.
import type { corev1 } from "@kubeloop/core/api";
import { create, type DecideContext, editObject, nothing, type Plan, plan } from "@kubeloop/core/contract";
import { configMaps } from "@kubeloop/core/resources";
import type { Observed } from "./observe.ts";

export const configMapName = "kube-root-ca.crt";
export const descriptionAnnotation = "kubernetes.io/description";
/** As upstream writes it: users read it in every namespace. */
export const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

/** When the sync began, for `report`. */
export interface Notes {
  readonly beganMs: number;
}

export const newDecide =
  (rootCa: string) =>
  ({ namespace, published }: Observed, { nowMs }: DecideContext): Plan<Notes> => {
    const notes = { beganMs: nowMs };
    if (published !== undefined) return repair(published, rootCa, notes);
    if (namespace.status?.phase === "Terminating") return nothing("the namespace is being deleted", { notes });
    const made: corev1.ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        namespace: namespace.metadata.name ?? "",
        name: configMapName,
        annotations: { [descriptionAnnotation]: description },
      },
      data: { "ca.crt": rootCa },
    };
    // The namespace is gone or going. That the ConfigMap is there already is a failure: it is looked at once the cache has it.
    const creation = create(configMaps, made, { tolerates: ["NotFound", "NamespaceTerminating"] });
    return plan("publish", [[creation]], { notes });
  };

function repair(published: corev1.ConfigMap, rootCa: string, notes: Notes): Plan<Notes> {
  const { annotations = {} } = published.metadata;
  const { data = {} } = published;
  const isDescribed = (annotations[descriptionAnnotation] ?? "") !== "";
  const isRight = Object.keys(data).length === 1 && data["ca.crt"] === rootCa;
  if (isRight && isDescribed) return nothing("published", { notes });
  const edit = editObject(configMaps, published, {
    ...published,
    metadata: { ...published.metadata, annotations: { ...annotations, [descriptionAnnotation]: description } },
    data: { "ca.crt": rootCa },
  });
  return plan("repair", [[edit]], { notes });
}
