// The sources that volumes of pods and persistent volumes have in common. Where the two differ it is in the reference to a secret: in a
// persistent volume it names the namespace.
import type { corev1 } from "@kubeloop/core/api";
import type { Description } from "./description.ts";
import { printGoList, printGoMap, printReference, type Source, writeSource } from "./volume-writer.ts";

type AnySource = corev1.Volume | corev1.PersistentVolumeSpec;

/** False if it is none of these. */
export function writeSharedSource(to: Description, volume: AnySource, isPersistent = false): boolean {
  const source = hostSource(volume) ?? cloudSource(volume) ?? networkSource(volume, isPersistent);
  const found = source ?? otherSource(volume, isPersistent);
  if (found !== undefined) writeSource(to, found);
  return found !== undefined;
}

function hostSource({ hostPath, flocker }: AnySource): Source | undefined {
  if (hostPath !== undefined)
    return [
      "HostPath (bare host directory volume)",
      ["Path:", hostPath.path],
      ["HostPathType:", hostPath.type ?? "<none>"],
    ];
  if (flocker !== undefined)
    return [
      "Flocker (a Flocker volume mounted by the Flocker agent)",
      ["DatasetName:", flocker.datasetName],
      ["DatasetUUID:", flocker.datasetUUID],
    ];
  return undefined;
}

function cloudSource(volume: AnySource): Source | undefined {
  const { gcePersistentDisk, awsElasticBlockStore, azureDisk, vsphereVolume, photonPersistentDisk, portworxVolume } =
    volume;
  if (gcePersistentDisk !== undefined)
    return [
      "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
      ["PDName:", gcePersistentDisk.pdName],
      ...diskFacts(gcePersistentDisk),
    ];
  if (awsElasticBlockStore !== undefined)
    return [
      "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
      ["VolumeID:", awsElasticBlockStore.volumeID],
      ...diskFacts(awsElasticBlockStore),
    ];
  if (azureDisk !== undefined)
    return [
      "AzureDisk (an Azure Data Disk mount on the host and bind mount to the pod)",
      ["DiskName:", azureDisk.diskName],
      ["DiskURI:", azureDisk.diskURI],
      // kubectl has this space.
      ["Kind: ", azureDisk.kind],
      ["FSType:", azureDisk.fsType],
      ["CachingMode:", azureDisk.cachingMode],
      ["ReadOnly:", azureDisk.readOnly ?? false],
    ];
  if (vsphereVolume !== undefined)
    return [
      "vSphereVolume (a Persistent Disk resource in vSphere)",
      ["VolumePath:", vsphereVolume.volumePath],
      ["FSType:", vsphereVolume.fsType],
      ["StoragePolicyName:", vsphereVolume.storagePolicyName],
    ];
  if (photonPersistentDisk !== undefined)
    return [
      "PhotonPersistentDisk (a Persistent Disk resource in photon platform)",
      ["PdID:", photonPersistentDisk.pdID],
      ["FSType:", photonPersistentDisk.fsType],
    ];
  if (portworxVolume !== undefined)
    return ["PortworxVolume (a Portworx Volume resource)", ["VolumeID:", portworxVolume.volumeID]];
  return undefined;
}

interface Disk {
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
}

function diskFacts({ fsType, partition = 0, readOnly = false }: Disk) {
  return [["FSType:", fsType] as const, ["Partition:", partition] as const, ["ReadOnly:", readOnly] as const];
}

function networkSource(volume: AnySource, isPersistent: boolean): Source | undefined {
  const { nfs, iscsi, glusterfs, rbd, quobyte, cephfs, fc } = volume;
  if (nfs !== undefined)
    return [
      "NFS (an NFS mount that lasts the lifetime of a pod)",
      ["Server:", nfs.server],
      ["Path:", nfs.path],
      ["ReadOnly:", nfs.readOnly ?? false],
    ];
  if (iscsi !== undefined) return iscsiSource(iscsi, isPersistent);
  if (glusterfs !== undefined) {
    const where = "endpointsNamespace" in glusterfs ? glusterfs.endpointsNamespace : undefined;
    return [
      "Glusterfs (a Glusterfs mount on the host that shares a pod's lifetime)",
      ["EndpointsName:", glusterfs.endpoints],
      ...(isPersistent ? [["EndpointsNamespace:", where ?? "<unset>"] as const] : []),
      ["Path:", glusterfs.path],
      ["ReadOnly:", glusterfs.readOnly ?? false],
    ];
  }
  if (rbd !== undefined)
    return [
      "RBD (a Rados Block Device mount on the host that shares a pod's lifetime)",
      ["CephMonitors:", printGoList(rbd.monitors)],
      ["RBDImage:", rbd.image],
      ["FSType:", rbd.fsType],
      ["RBDPool:", rbd.pool],
      ["RadosUser:", rbd.user],
      ["Keyring:", rbd.keyring],
      ["SecretRef:", printReference(rbd.secretRef, isPersistent)],
      ["ReadOnly:", rbd.readOnly ?? false],
    ];
  if (quobyte !== undefined)
    return [
      "Quobyte (a Quobyte mount on the host that shares a pod's lifetime)",
      ["Registry:", quobyte.registry],
      ["Volume:", quobyte.volume],
      ["ReadOnly:", quobyte.readOnly ?? false],
    ];
  if (cephfs !== undefined)
    return [
      "CephFS (a CephFS mount on the host that shares a pod's lifetime)",
      ["Monitors:", printGoList(cephfs.monitors)],
      ["Path:", cephfs.path],
      ["User:", cephfs.user],
      ["SecretFile:", cephfs.secretFile],
      ["SecretRef:", printReference(cephfs.secretRef, isPersistent)],
      ["ReadOnly:", cephfs.readOnly ?? false],
    ];
  if (fc !== undefined)
    return [
      "FC (a Fibre Channel disk)",
      ["TargetWWNs:", (fc.targetWWNs ?? []).join(", ")],
      ["LUN:", fc.lun ?? "<none>"],
      ["FSType:", fc.fsType],
      ["ReadOnly:", fc.readOnly ?? false],
    ];
  return undefined;
}

type Iscsi = corev1.ISCSIVolumeSource | corev1.ISCSIPersistentVolumeSource;

function iscsiSource(iscsi: Iscsi, isPersistent: boolean): Source {
  return [
    "ISCSI (an ISCSI Disk resource that is attached to a kubelet's host machine and then exposed to the pod)",
    ["TargetPortal:", iscsi.targetPortal],
    ["IQN:", iscsi.iqn],
    ["Lun:", iscsi.lun],
    // kubectl has no colon here.
    ["ISCSIInterface", iscsi.iscsiInterface],
    ["FSType:", iscsi.fsType],
    ["ReadOnly:", iscsi.readOnly ?? false],
    ["Portals:", printGoList(iscsi.portals)],
    ["DiscoveryCHAPAuth:", iscsi.chapAuthDiscovery ?? false],
    ["SessionCHAPAuth:", iscsi.chapAuthSession ?? false],
    ["SecretRef:", printReference(iscsi.secretRef, isPersistent)],
    ["InitiatorName:", iscsi.initiatorName ?? "<none>"],
  ];
}

function otherSource(volume: AnySource, isPersistent: boolean): Source | undefined {
  const { cinder, scaleIO, storageos, flexVolume } = volume;
  if (cinder !== undefined)
    return [
      "Cinder (a Persistent Disk resource in OpenStack)",
      ["VolumeID:", cinder.volumeID],
      ["FSType:", cinder.fsType],
      ["ReadOnly:", cinder.readOnly ?? false],
      ["SecretRef:", printReference(cinder.secretRef, isPersistent)],
    ];
  if (scaleIO !== undefined) {
    const secret: { readonly name?: string; readonly namespace?: string } = scaleIO.secretRef ?? {};
    const secretFacts = [["SecretName:", secret.name] as const, ["SecretNamespace:", secret.namespace] as const];
    return [
      "ScaleIO (a persistent volume backed by a block device in ScaleIO)",
      ["Gateway:", scaleIO.gateway],
      ["System:", scaleIO.system],
      ["Protection Domain:", scaleIO.protectionDomain],
      ["Storage Pool:", scaleIO.storagePool],
      ["Storage Mode:", scaleIO.storageMode],
      ["VolumeName:", scaleIO.volumeName],
      ...(isPersistent ? secretFacts : []),
      ["FSType:", scaleIO.fsType],
      ["ReadOnly:", scaleIO.readOnly ?? false],
    ];
  }
  if (storageos !== undefined)
    return [
      "StorageOS (a StorageOS Persistent Disk resource)",
      ["VolumeName:", storageos.volumeName],
      ["VolumeNamespace:", storageos.volumeNamespace],
      ["FSType:", storageos.fsType],
      ["ReadOnly:", storageos.readOnly ?? false],
    ];
  if (flexVolume !== undefined)
    return [
      "FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)",
      ["Driver:", flexVolume.driver],
      ["FSType:", flexVolume.fsType],
      ["SecretRef:", printReference(flexVolume.secretRef, isPersistent)],
      ["ReadOnly:", flexVolume.readOnly ?? false],
      ["Options:", printGoMap(flexVolume.options)],
    ];
  return undefined;
}
