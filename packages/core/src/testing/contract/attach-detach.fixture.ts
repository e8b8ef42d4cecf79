// The core of the attach-detach controller for CSI, written with the contract, with one key for each volume. The desired state is the nodes of
// the pods that use the volume. The actual state is its VolumeAttachments and `volumesAttached` of the nodes. Before a volume is detached, it
// is removed from `volumesAttached` of the node; if the detach fails, it is added again. A volume that a node still uses is not detached,
// except from a node that is not ready, after six minutes. The model has only the times since when volumes are unused.
import {
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  volumeAttachments,
} from "../../api/generated/resources.ts";
import { type corev1, isConditionTrue, keyOf, objectKeyOf, type storagev1 } from "../../api/index.ts";
import {
  type Action,
  cached,
  create,
  type DecideContext,
  type Decision,
  defineIndex,
  editStatus,
  inOrder,
  itself,
  type Learned,
  mapped,
  newController,
  nothing,
  type Outcome,
  type Plan,
  plan,
  queue,
  recordEvent,
  removeObject,
  statusVerbs,
  type View,
  verbs,
} from "../../contract/index.ts";
import { isPodTerminal } from "../../rules/index.ts";

export const maxWaitForUnmountMs = 6 * 60_000;

/** The time since when no pod on the node uses the volume, by volume and node. It is not restored after a restart: each wait starts again. */
export class UnwantedSince {
  readonly #sinceMs = new Map<string, number>();

  get(volume: string, node: string): number | undefined {
    return this.#sinceMs.get(`${volume} ${node}`);
  }

  note(volume: string, node: string, nowMs: number): void {
    if (this.get(volume, node) === undefined) this.#sinceMs.set(`${volume} ${node}`, nowMs);
  }

  forget(volume: string, node: string): void {
    this.#sinceMs.delete(`${volume} ${node}`);
  }
}

export interface Place {
  readonly nodeName: string;
  readonly node: corev1.Node | undefined;
  readonly attachment: storagev1.VolumeAttachment | undefined;
  /** The pods on this node that use the volume. */
  readonly pods: readonly corev1.Pod[];
  readonly unwantedSinceMs: number | undefined;
}

export interface VolumeSeen {
  readonly volume: corev1.PersistentVolume;
  /** The name of the volume in the status of nodes. */
  readonly deviceName: string;
  readonly places: readonly Place[];
}

export const podsByClaim = defineIndex("attach-detach-claim", pods, (pod) =>
  (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [objectKeyOf(pod.metadata.namespace ?? "", claim.claimName)],
  ),
);
export const attachmentsByVolume = defineIndex("attach-detach-volume", volumeAttachments, ({ spec }) =>
  spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName],
);

export function observe(key: string, { snapshot, model }: View<UnwantedSince>): VolumeSeen | undefined {
  const volume = snapshot.get(persistentVolumes, key);
  const { csi, claimRef } = volume?.spec ?? {};
  if (volume === undefined || csi === undefined) return undefined;
  const claim = objectKeyOf(claimRef?.namespace ?? "", claimRef?.name ?? "");
  const users = snapshot.byIndex(podsByClaim, claim).filter((pod) => pod.spec.nodeName && !isPodTerminal(pod));
  const attachments = snapshot.byIndex(attachmentsByVolume, key);
  const names = new Set([
    ...users.map((pod) => pod.spec.nodeName ?? ""),
    ...attachments.map(({ spec }) => spec.nodeName),
  ]);
  const places = [...names].map((nodeName) => ({
    nodeName,
    node: snapshot.get(nodes, nodeName),
    attachment: attachments.find(({ spec }) => spec.nodeName === nodeName),
    pods: users.filter((pod) => pod.spec.nodeName === nodeName),
    unwantedSinceMs: model.get(key, nodeName),
  }));
  return { volume, deviceName: `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`, places };
}

export function decide(seen: VolumeSeen, { nowMs }: DecideContext): Decision {
  // For each node, first the node status is written and then the attachment deleted. Failures of other nodes do not stop this.
  const [moved, attached, said]: [ReturnType<typeof inOrder>[], Action[], Action[]] = [[], [], []];
  let waitMs = Number.POSITIVE_INFINITY;
  for (const place of seen.places) {
    const { node, attachment } = place;
    if (attachment === undefined || isDeleting(attachment)) continue;
    if (place.pods.length === 0) {
      const stillMs = mustWaitMs(place, seen, nowMs);
      waitMs = Math.min(waitMs, stillMs);
      if (stillMs > 0) continue;
      const told = node === undefined ? undefined : tell(node, seen, "detached");
      moved.push(inOrder(told, removeObject(volumeAttachments, attachment, { tolerates: ["NotFound"] })));
    } else if (attachment.status?.attached === true && node !== undefined && !isTold(node, seen)) {
      moved.push(tell(node, seen, "attached"));
      const message = `AttachVolume.Attach succeeded for volume "${seen.volume.metadata.name}"`;
      said.push(
        ...place.pods.map((pod) => recordEvent(pod, { type: "Normal", reason: "SuccessfulAttachVolume", message })),
      );
    }
  }
  for (const place of seen.places.filter((each) => each.pods.length > 0 && each.attachment === undefined)) {
    const holder = isExclusive(seen.volume)
      ? seen.places.find(({ attachment }) => attachment !== undefined)
      : undefined;
    if (holder === undefined)
      attached.push(create(volumeAttachments, newAttachment(seen, place), { tolerates: ["AlreadyExists"] }));
    else said.push(...place.pods.map((pod) => refuse(pod, seen, holder)));
    if (holder === undefined && isExclusive(seen.volume)) break;
  }
  const more = Number.isFinite(waitMs) && waitMs > 0 ? { requeueAfterMs: waitMs } : {};
  const steps = [moved, attached, said];
  return steps.every((step) => step.length === 0) ? nothing("as wanted", more) : plan("moves", steps, more);
}

/** If the detach failed after the volume was removed from `volumesAttached` of the node, adds it there again. */
export function report(seen: VolumeSeen, outcome: Outcome): Plan | undefined {
  const restored = seen.places.flatMap(({ node, attachment }) => {
    if (node === undefined || attachment === undefined) return [];
    const [removal] = outcome.find({ type: "delete", resource: volumeAttachments, key: keyOf(attachment) });
    const stored = outcome.objectOn(nodes, keyOf(node));
    return removal?.result.status === "failed" && stored !== undefined ? [tell(stored, seen, "attached")] : [];
  });
  return restored.length === 0 ? undefined : plan("could not be detached", [restored]);
}

export function learn(model: UnwantedSince, seen: VolumeSeen, { nowMs }: Learned): readonly never[] {
  for (const { nodeName, attachment, pods: users } of seen.places) {
    const { name = "" } = seen.volume.metadata;
    if (attachment !== undefined && users.length === 0) model.note(name, nodeName, nowMs);
    else model.forget(name, nodeName);
  }
  return [];
}

export const attachDetachController = newController<UnwantedSince>({
  name: "persistentvolume-attach-detach-controller",
  primary: persistentVolumes,
  watches: [
    itself(persistentVolumes),
    mapped(pods, (pod, snapshot) =>
      podsByClaim.valuesOf(pod).flatMap((claim) => snapshot.get(persistentVolumeClaims, claim)?.spec?.volumeName ?? []),
    ),
    mapped(volumeAttachments, (attachment) => attachmentsByVolume.valuesOf(attachment)),
    mapped(nodes, (node, snapshot) =>
      snapshot
        .list(volumeAttachments)
        .filter(({ spec }) => spec.nodeName === node.metadata.name)
        .flatMap((attachment) => attachmentsByVolume.valuesOf(attachment)),
    ),
    cached(persistentVolumeClaims),
  ],
  indexes: [podsByClaim, attachmentsByVolume],
  writes: [verbs(volumeAttachments, "create", "delete"), statusVerbs(nodes, "patch")],
  newModel: () => new UnwantedSince(),
  queues: { volumes: queue({ workers: 10, observe, decide, report, learn }) },
});

/** Returns 0 if the volume may be detached now, Infinity if it may be detached only after the node no longer uses it. */
function mustWaitMs({ node, unwantedSinceMs }: Place, { deviceName }: VolumeSeen, nowMs: number): number {
  if (node === undefined || node.status?.volumesInUse?.includes(deviceName) !== true) return 0;
  if (node.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true) return 0;
  if (isConditionTrue(node.status.conditions, "Ready")) return Number.POSITIVE_INFINITY;
  return Math.max(0, (unwantedSinceMs ?? nowMs) + maxWaitForUnmountMs - nowMs);
}

/** Writes the whole list, so the write must fail if another client has changed it meanwhile. */
function tell(node: corev1.Node, { deviceName }: VolumeSeen, what: "attached" | "detached") {
  const others = (node.status?.volumesAttached ?? []).filter(({ name }) => name !== deviceName);
  const volumesAttached = what === "attached" ? [...others, { name: deviceName, devicePath: "" }] : others;
  return editStatus(nodes, node, { ...node, status: { ...node.status, volumesAttached } });
}

function refuse(pod: corev1.Pod, { volume }: VolumeSeen, holder: Place): Action {
  const message = `Multi-Attach error for volume "${volume.metadata.name}": already attached to ${holder.nodeName}`;
  return recordEvent(pod, { type: "Warning", reason: "FailedAttachVolume", message });
}

function newAttachment({ volume }: VolumeSeen, { nodeName }: Place): storagev1.VolumeAttachment {
  const { name = "" } = volume.metadata;
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: `csi-${name}-${nodeName}` },
    spec: { attacher: volume.spec?.csi?.driver ?? "", nodeName, source: { persistentVolumeName: name } },
  };
}

const isDeleting = ({ metadata }: storagev1.VolumeAttachment) => metadata.deletionTimestamp !== undefined;
const isTold = (node: corev1.Node, { deviceName }: VolumeSeen) =>
  node.status?.volumesAttached?.some(({ name }) => name === deviceName) === true;
const isExclusive = ({ spec }: corev1.PersistentVolume) =>
  spec?.accessModes?.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany") !== true;
