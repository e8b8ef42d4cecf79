// DefaultStorageClass: a claim that names no class gets everybody's, if there is one.
import type { corev1 } from "@kubeloop/core/api";
import type { Draft } from "../../kinds/kind-rules.ts";
import type { AdmissionParts, AdmissionPlugin } from "../plugin.ts";
import { defaultClassOf } from "./default-class.ts";

const annotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
] as const;
const classOfOldClaims = "volume.beta.kubernetes.io/storage-class";

export function defaultStorageClass({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    handles: ["CREATE"],
    resources: ["persistentvolumeclaims"],
    async admit({ subresource, object }) {
      if (subresource !== "") return;
      const claim = object as unknown as Draft<corev1.PersistentVolumeClaim>;
      const isNamed = claim.metadata.annotations?.[classOfOldClaims] !== undefined;
      // An empty name is a choice, too: of a volume without a class.
      if (isNamed || claim.spec?.storageClassName !== undefined) return;
      const { objects } = await storage.list("storage.k8s.io/storageclasses", {});
      const name = defaultClassOf(objects, annotations);
      if (name !== undefined) claim.spec = { ...claim.spec, storageClassName: name };
    },
  };
}
