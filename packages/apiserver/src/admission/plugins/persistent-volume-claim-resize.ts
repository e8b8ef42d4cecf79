// PersistentVolumeClaimResize: a claim may ask for more only when it is bound and its class says that its volumes can grow.
import { compareQuantities, type corev1, type storagev1 } from "@kubeloop/core/api";
import { type AdmissionParts, type AdmissionPlugin, admissionForbidden } from "../plugin.ts";

export function persistentVolumeClaimResize({ storage }: AdmissionParts): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    handles: ["UPDATE"],
    resources: ["persistentvolumeclaims"],
    async validate(attributes) {
      const { subresource, object, oldObject } = attributes;
      if (subresource !== "") return;
      const claim = object as unknown as corev1.PersistentVolumeClaim;
      const old = oldObject as corev1.PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== "Bound") {
        throw admissionForbidden(attributes, "Only bound persistent volume claims can be expanded");
      }
      const name = classOf(claim);
      const found = await storage.get({ collection: "storage.k8s.io/storageclasses", key: name });
      const mayGrow = (found as storagev1.StorageClass | undefined)?.allowVolumeExpansion === true;
      if (name !== "" && name === classOf(old) && mayGrow) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw admissionForbidden(attributes, why);
    },
  };
}

const sizeOf = ({ spec }: corev1.PersistentVolumeClaim) => spec?.resources?.requests?.["storage"] ?? "0";

const classOf = ({ metadata, spec }: corev1.PersistentVolumeClaim) =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
