// VolumeBinding: a node must reach the volumes of the pod's bound claims, and have a volume or a provisioner for claims that wait for their first
// consumer. Other unbound claims are the PersistentVolume controller's, and the pod waits for them.
//
// Upstream's score by storage capacity is behind a feature gate that is off, and not here.
import type { Pod } from "@kubeloop/core/types/core/v1";
import type { Listers } from "../framework/listers.ts";
import { type Plugin, PluginError, type Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import { claimNameOf, whyNotForPod } from "../volumes/claims.ts";
import { TranslationError } from "../volumes/csi-migration.ts";
import { claimsOf, type FoundVolumes, findPodVolumes, type PodClaims } from "../volumes/pod-volumes.ts";

const name = "VolumeBinding";
const refuse = (reasons: readonly string[]): Refusal => ({
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons,
});

export const volumeBinding: Plugin = {
  name,
  preFilter: ({ pod: { pod }, listers }) => {
    if (!hasClaims(pod)) return undefined;
    const invalid = whyInvalid(pod, listers);
    if (invalid !== undefined) return { refusal: refuse([invalid]) };
    const claims = claimsOf(pod, listers);
    if (claims.immediate.length > 0) {
      return { refusal: refuse(["pod has unbound immediate PersistentVolumeClaims"]) };
    }
    return {
      filter: {
        filter: (node) => {
          const found = find(claims, node, listers);
          return "reasons" in found ? refuse(found.reasons) : undefined;
        },
      },
    };
  },
  reserve: ({ pod: { pod }, listers }, node) => {
    if (!hasClaims(pod)) return undefined;
    const found = find(claimsOf(pod, listers), node, listers);
    return "volumes" in found ? found.volumes : undefined;
  },
};

function find(claims: PodClaims, { node }: NodeInfo, listers: Listers): FoundVolumes {
  try {
    return findPodVolumes(claims, node, listers);
  } catch (error) {
    if (!(error instanceof TranslationError)) throw error;
    throw new PluginError(`running "${name}" filter plugin: could not translate pv: ${error.message}`);
  }
}

function hasClaims(pod: Pod): boolean {
  return (pod.spec.volumes ?? []).some((volume) => claimNameOf(pod, volume) !== undefined);
}

/** Returns why the pod cannot use one of its claims, whatever the node. */
function whyInvalid(pod: Pod, listers: Listers): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(pod, volume);
    if (claimName === undefined) continue;
    const claim = listers.persistentVolumeClaim(pod.metadata.namespace ?? "", claimName);
    if (claim === undefined) {
      return volume.ephemeral === undefined
        ? `persistentvolumeclaim "${claimName}" not found`
        : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`;
    }
    if (claim.status?.phase === "Lost") {
      const volumeName = claim.spec?.volumeName ?? "";
      return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${volumeName}"`;
    }
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${claimName}" is being deleted`;
    const foreign = volume.ephemeral === undefined ? undefined : whyNotForPod(pod, claim);
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}
