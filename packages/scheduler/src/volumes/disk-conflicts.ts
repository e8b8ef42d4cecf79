// Disks that a pod names in its own spec and that only one pod may use at a time. Sharing for reading is allowed, except for EBS volumes.
import type { Pod, Volume } from "@kubeloop/core/types/core/v1";

export function isRestrictedDisk({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: Volume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, rbd, iscsi].some((source) => source !== undefined);
}

/** Whether some disk of the pod is used by the other one in a way that excludes it. */
export function hasDiskConflict({ spec: { volumes = [] } }: Pod, { spec: { volumes: others = [] } }: Pod): boolean {
  if (others.length === 0) return false;
  return volumes.some((volume) => isRestrictedDisk(volume) && others.some((other) => isConflict(volume, other)));
}

interface Shared {
  readonly readOnly?: boolean;
}

function isConflict(volume: Volume, other: Volume): boolean {
  const isWritten = (mine: Shared, theirs: Shared) => mine.readOnly !== true || theirs.readOnly !== true;
  const { gcePersistentDisk: pd, awsElasticBlockStore: ebs, iscsi, rbd } = volume;
  const { gcePersistentDisk: otherPd, awsElasticBlockStore: otherEbs, iscsi: otherIscsi, rbd: otherRbd } = other;
  if (pd !== undefined && pd.pdName === otherPd?.pdName && isWritten(pd, otherPd)) return true;
  if (ebs !== undefined && ebs.volumeID === otherEbs?.volumeID) return true;
  if (iscsi !== undefined && iscsi.iqn === otherIscsi?.iqn && isWritten(iscsi, otherIscsi)) return true;
  if (rbd === undefined || otherRbd === undefined || !isWritten(rbd, otherRbd)) return false;
  const isSameImage = (rbd.pool ?? "rbd") === (otherRbd.pool ?? "rbd") && rbd.image === otherRbd.image;
  return isSameImage && rbd.monitors.some((monitor) => otherRbd.monitors.includes(monitor));
}
