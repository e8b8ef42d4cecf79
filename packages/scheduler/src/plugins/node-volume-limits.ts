// NodeVolumeLimits: no more volumes of a CSI driver on a node than its CSINode allows. A volume that several pods of a node use counts once; one that is
// attached without a pod counts, too.
import type { PersistentVolumeClaim, Pod, Volume } from "@kubeloop/core/types/core/v1";
import type { CSINode } from "@kubeloop/core/types/storage/v1";
import type { Listers } from "../framework/listers.ts";
import { type Cycle, type NodeFilter, type Plugin, PluginError, type Refusal } from "../framework/plugin.ts";
import type { NodeInfo } from "../snapshot/node-info.ts";
import { claimNameOf, classOfClaim, whyNotForPod } from "../volumes/claims.ts";
import {
  type DriverVolume,
  driverOfProvisioner,
  isMigratable,
  TranslationError,
  toDriverVolume,
} from "../volumes/csi-migration.ts";

const name = "NodeVolumeLimits";
const refusal: Refusal = { code: "Unschedulable", plugin: name, reasons: ["node(s) exceed max volume count"] };

export const nodeVolumeLimits: Plugin = {
  name,
  preFilter: (cycle) => {
    const { volumes = [] } = cycle.pod.pod.spec;
    return volumes.some(isLimited) ? { filter: filterOf(cycle) } : undefined;
  },
};

/** Whether the volume may be one of a CSI driver. */
export function isLimited(volume: Volume): boolean {
  return volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined || isMigratable(volume);
}

function filterOf({ pod: { pod }, listers }: Cycle): NodeFilter {
  const missing = findMissingClaim(pod, listers);
  let attachments: ReadonlyMap<string, DriverVolumes> | undefined;
  return {
    filter: (node) => {
      if (missing !== undefined) return missing;
      const csiNode = listers.csiNode(node.name);
      const incoming = volumesOf(pod, { csiNode, listers });
      const limits = limitsOf(csiNode);
      if (incoming.size === 0 || limits.size === 0) return undefined;
      const attached = attachedTo(node, csiNode, listers);
      attachments ??= attachmentsByNode(listers);
      for (const [key, driver] of attachments.get(node.name) ?? []) attached.all.set(key, driver);
      const counts = new Map<string, number>();
      for (const driver of attached.all.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
      const added = new Map<string, number>();
      for (const [key, driver] of incoming) {
        // What is only attached, but used by no pod, counts as new as well, as upstream.
        if (!attached.byPods.has(key)) added.set(driver, (added.get(driver) ?? 0) + 1);
      }
      for (const [driver, count] of added) {
        const limit = limits.get(driver);
        if (limit !== undefined && (counts.get(driver) ?? 0) + count > limit) return refusal;
      }
      return undefined;
    },
  };
}

/** The other plugins for volumes say so first, if the profile has them. */
function findMissingClaim(pod: Pod, listers: Listers): Refusal | undefined {
  const { namespace = "" } = pod.metadata;
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimNameOf(pod, volume);
    if (claimName === undefined || listers.persistentVolumeClaim(namespace, claimName) !== undefined) continue;
    const reason = `looking up PVC ${namespace}/${claimName}: persistentvolumeclaim "${claimName}" not found`;
    return { code: "UnschedulableAndUnresolvable", plugin: name, reasons: [reason] };
  }
  return undefined;
}

/** Drivers by `driver/handle`. */
type DriverVolumes = ReadonlyMap<string, string>;

interface Context {
  readonly csiNode: CSINode | undefined;
  readonly listers: Listers;
}

function attachedTo(
  node: NodeInfo,
  csiNode: CSINode | undefined,
  listers: Listers,
): { readonly byPods: DriverVolumes; readonly all: Map<string, string> } {
  const byPods = new Map<string, string>();
  for (const { pod } of node.pods) {
    if (pod.spec.volumes === undefined) continue;
    for (const [key, driver] of volumesOf(pod, { csiNode, listers })) byPods.set(key, driver);
  }
  return { byPods, all: new Map(byPods) };
}

function volumesOf(pod: Pod, context: Context): DriverVolumes {
  const found = new Map<string, string>();
  for (const volume of pod.spec.volumes ?? []) {
    const driverVolume = driverVolumeOf(pod, volume, context);
    if (driverVolume === undefined || driverVolume.driver === "" || driverVolume.handle === "") continue;
    found.set(`${driverVolume.driver}/${driverVolume.handle}`, driverVolume.driver);
  }
  return found;
}

function driverVolumeOf(pod: Pod, volume: Volume, context: Context): DriverVolume | undefined {
  const claimName = claimNameOf(pod, volume);
  if (claimName === undefined) return inlineVolumeOf(volume, context);
  const claim = context.listers.persistentVolumeClaim(pod.metadata.namespace ?? "", claimName);
  if (claim === undefined) return undefined;
  const foreign = volume.ephemeral === undefined ? undefined : whyNotForPod(pod, claim);
  if (foreign !== undefined) throw failure(foreign);
  return claimedVolumeOf(claim, context);
}

function inlineVolumeOf(volume: Volume, { csiNode }: Context): DriverVolume | undefined {
  if (csiNode === undefined) return undefined;
  try {
    return toDriverVolume(volume);
  } catch (error) {
    if (!(error instanceof TranslationError)) throw error;
    throw failure(`converting volume(${volume.name}) from inline to csi: ${error.message}`);
  }
}

function claimedVolumeOf(claim: PersistentVolumeClaim, { csiNode, listers }: Context): DriverVolume | undefined {
  const volume = listers.persistentVolume(claim.spec?.volumeName ?? "");
  if (volume === undefined) return futureVolumeOf(claim, { csiNode, listers });
  const { csi } = volume.spec ?? {};
  if (csi !== undefined) return { driver: csi.driver, handle: csi.volumeHandle };
  if (csiNode === undefined) return undefined;
  try {
    return toDriverVolume(volume.spec ?? {}, volume.metadata.labels);
  } catch (error) {
    if (error instanceof TranslationError) return undefined;
    throw error;
  }
}

/** A claim without a volume will get one of its class's driver. */
function futureVolumeOf(claim: PersistentVolumeClaim, { csiNode, listers }: Context): DriverVolume | undefined {
  const storageClass = listers.storageClass(classOfClaim(claim));
  if (storageClass === undefined) return undefined;
  const { provisioner } = storageClass;
  const driver = driverOfProvisioner(provisioner);
  if (driver === undefined || (driver !== provisioner && csiNode === undefined)) return undefined;
  const { namespace = "", name: claimName = "" } = claim.metadata;
  return { driver, handle: `unbound claim ${namespace}/${claimName}` };
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver, allocatable } of csiNode?.spec?.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count);
  }
  return limits;
}

function attachmentsByNode(listers: Listers): ReadonlyMap<string, DriverVolumes> {
  const byNode = new Map<string, Map<string, string>>();
  for (const { spec } of listers.volumeAttachments()) {
    const { nodeName = "", attacher = "", source } = spec ?? {};
    const { csi } = listers.persistentVolume(source?.persistentVolumeName ?? "")?.spec ?? {};
    if (attacher === "" || csi === undefined) continue;
    const ofNode = byNode.get(nodeName) ?? new Map<string, string>();
    byNode.set(nodeName, ofNode.set(`${attacher}/${csi.volumeHandle}`, attacher));
  }
  return byNode;
}

function failure(message: string): PluginError {
  return new PluginError(`running "${name}" filter plugin: ${message}`);
}
