// How far the PersistentVolume controller and provisioners have got with the volumes of a pod that was decided on: all are bound, some are waited for, or
// something happened that makes the decision void.
import { compareResourceVersions, isResourceVersion } from "@kubeloop/core/api";
import type { Node, PersistentVolume } from "@kubeloop/core/types/core/v1";
import type { Listers } from "../framework/listers.ts";
import type { VolumesToBind } from "../framework/volumes-to-bind.ts";
import { isFullyBound, matchesVolumeAffinity, selectedNodeAnnotation } from "./claims.ts";
import { affinityOn } from "./csi-migration.ts";

export type BindingProgress =
  | { readonly at: "bound" }
  | { readonly at: "waiting" }
  | { readonly at: "failed"; readonly message: string };

const bound: BindingProgress = { at: "bound" };
const waiting: BindingProgress = { at: "waiting" };
const failed = (message: string): BindingProgress => ({ at: "failed", message });

/** `written` are the objects as the server returned them; an older state in the listers is not looked at. */
export function checkBindings({ bindings, provisions }: VolumesToBind, node: Node, listers: Listers): BindingProgress {
  for (const {
    volume: written,
    claim: { metadata },
  } of bindings) {
    const { name = "" } = written.metadata;
    const volume = listers.persistentVolume(name);
    if (volume === undefined) return failed(`failed to check binding: persistentvolumes "${name}" not found`);
    const claim = listers.persistentVolumeClaim(metadata.namespace ?? "", metadata.name ?? "");
    if (claim === undefined) return failed(`failed to check binding: ${claimNotFound(metadata)}`);
    if (isOlder(volume, written)) return waiting;
    const unreachable = whyUnreachable(volume, node, listers);
    if (unreachable !== undefined) return failed(unreachable);
    if ((volume.spec?.claimRef?.uid ?? "") === "") return failed(`ClaimRef got reset for pv "${name}"`);
    if (!isFullyBound(claim)) return waiting;
  }
  for (const written of provisions) {
    const { name = "", namespace = "" } = written.metadata;
    const claim = listers.persistentVolumeClaim(namespace, name);
    if (claim === undefined) return failed(`failed to check provisioning pvc: ${claimNotFound(written.metadata)}`);
    if (isOlder(claim, written)) return waiting;
    if (claim.metadata.annotations === undefined) return failed(`selectedNode annotation reset for PVC "${name}"`);
    // A provisioner that fails removes the annotation, so that another node is tried.
    if (claim.metadata.annotations[selectedNodeAnnotation] !== node.metadata.name) {
      return failed(`provisioning failed for PVC "${name}"`);
    }
    const volumeName = claim.spec?.volumeName ?? "";
    if (volumeName !== "") {
      const volume = listers.persistentVolume(volumeName);
      if (volume === undefined) return waiting;
      const unreachable = whyUnreachable(volume, node, listers);
      if (unreachable !== undefined) return failed(unreachable);
    }
    if (!isFullyBound(claim)) return waiting;
  }
  return bound;
}

interface Versioned {
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string };
}

function claimNotFound({ namespace = "", name = "" }: Versioned["metadata"]): string {
  return `persistentvolumeclaims "${namespace}/${name}" not found`;
}

function isOlder({ metadata: seen }: Versioned, { metadata: written }: Versioned): boolean {
  const { resourceVersion: left = "" } = seen;
  const { resourceVersion: right = "" } = written;
  return isResourceVersion(left) && isResourceVersion(right) && compareResourceVersions(left, right) < 0;
}

function whyUnreachable(volume: PersistentVolume, node: Node, listers: Listers): string | undefined {
  const { name: nodeName = "", labels = {} } = node.metadata;
  if (matchesVolumeAffinity(affinityOn(volume, listers.csiNode(nodeName)), labels)) return undefined;
  const { name = "" } = volume.metadata;
  return `pv "${name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`;
}
