// The rules of the volume protection: who gets the finalizer, and who loses it.
import { addFinalizer, type corev1, removeFinalizer } from "@kubeloop/core/api";
import { editObject, nothing, type Plan, plan } from "@kubeloop/core/contract";
import { persistentVolumes } from "@kubeloop/core/resources";
import { lacksProtection, waitsForRelease } from "../../domain/protection.ts";

export const volumeFinalizer = "kubernetes.io/pv-protection";

export function decide(volume: corev1.PersistentVolume): Plan {
  if (lacksProtection(volume, volumeFinalizer)) return edited("protects it", volume, addFinalizer);
  if (!waitsForRelease(volume, volumeFinalizer)) return nothing("is as it should be");
  if (volume.status?.phase === "Bound") return nothing("is in use");
  return edited("lets it go", volume, removeFinalizer);
}

function edited(reason: string, volume: corev1.PersistentVolume, change: typeof addFinalizer): Plan {
  // One that is gone needs neither.
  const tolerates = ["NotFound"] as const;
  return plan(reason, [[editObject(persistentVolumes, volume, change(volume, volumeFinalizer), { tolerates })]]);
}
