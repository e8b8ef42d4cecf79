// StorageObjectInUseProtection: volumes, claims and attribute classes are born with the finalizer that keeps them while somebody uses them. Who
// takes it off again are the protection controllers.
import type { AdmissionPlugin } from "../plugin.ts";

/** By collection. */
const finalizers: Readonly<Record<string, string>> = {
  persistentvolumes: "kubernetes.io/pv-protection",
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  volumeattributesclasses: "kubernetes.io/vac-protection",
};

export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: "StorageObjectInUseProtection",
    handles: ["CREATE"],
    resources: ["persistentvolumes", "persistentvolumeclaims", "storage.k8s.io/volumeattributesclasses"],
    async admit({ subresource, resource, object }) {
      const finalizer = finalizers[resource.resource];
      if (subresource !== "" || object === undefined || finalizer === undefined) return;
      const { finalizers: held = [] } = object.metadata;
      if (!held.includes(finalizer)) object.metadata.finalizers = [...held, finalizer];
    },
  };
}
