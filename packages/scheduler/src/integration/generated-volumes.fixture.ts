// Storage of generated cases: classes, volumes and claims in every state that the plugins for volumes tell apart, CSINodes with limits, and pods that use
// them. Volumes of a class differ in size, because of equal ones upstream takes any.
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  Volume,
} from "@kubeloop/core/types/core/v1";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "@kubeloop/core/types/storage/v1";
import { caseNamespaces, type Draw, times } from "./generated-case.fixture.ts";

/** Statuses are written after the objects. */
export interface GeneratedStorage {
  readonly classes: readonly StorageClass[];
  readonly drivers: readonly CSIDriver[];
  readonly csiNodes: readonly CSINode[];
  readonly capacities: readonly CSIStorageCapacity[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly attachments: readonly VolumeAttachment[];
  /** Names of claims that are to be deleted, and stay because of a finalizer. */
  readonly terminating: readonly string[];
}

export const noStorage: GeneratedStorage = {
  classes: [],
  drivers: [],
  csiNodes: [],
  capacities: [],
  volumes: [],
  claims: [],
  attachments: [],
  terminating: [],
};

const limited = "csi.example.com";
const tracked = "tracked.example.com";
const ebs = "ebs.csi.aws.com";
const zoneKey = "topology.kubernetes.io/zone";
const oldZoneKey = "failure-domain.beta.kubernetes.io/zone";
const ebsZoneKey = "topology.ebs.csi.aws.com/zone";
export const keepFinalizer = "example.com/keep";

export interface StorageCase {
  readonly nodes: readonly Node[];
  readonly bound: readonly Pod[];
  readonly pending: readonly Pod[];
  readonly storage: GeneratedStorage;
}

/** Adds storage to a cluster, and volumes to its pods. */
export function drawStorage(draw: Draw, seed: string, cluster: Omit<StorageCase, "storage">): StorageCase {
  const nodes = cluster.nodes.map((node) => withDriverZone(draw, node));
  const classes = drawClasses(draw, seed);
  const made = Object.keys(caseNamespaces).flatMap((namespace) =>
    times(9, (index) => drawClaim(draw, { seed, namespace, index, nodes })),
  );
  const free = withOnePromiseEach(
    times(3 + draw.below(5), (index) => drawFreeVolume(draw, seed, { index, nodes, made })),
  );
  const volumes = [...made.flatMap(({ volume }) => volume ?? []), ...free];
  const claims = made.map(({ claim }) => claim);
  const names = (namespace: string | undefined, state?: readonly ClaimState[]) =>
    made
      .filter(({ claim, state: its }) => claim.metadata.namespace === namespace && (state?.includes(its) ?? true))
      .map(({ claim }) => claim.metadata.name ?? "");
  return {
    nodes,
    bound: cluster.bound.map((pod) => {
      if (draw.chance(0.5)) return pod;
      const usable = names(pod.metadata.namespace, ["bound", "exclusive"]);
      return withVolumes(
        pod,
        usable.length === 0 || draw.chance(0.3) ? [drawDisk(draw)] : [toVolume(draw.one(usable))],
      );
    }),
    pending: cluster.pending.map((pod) => {
      const wanted = draw.chance(0.75)
        ? draw.one([["bound", "exclusive", "delayed"], ["delayed"]] as const)
        : undefined;
      const usable = names(pod.metadata.namespace, wanted);
      return withVolumes(pod, drawVolumes(draw, usable.length === 0 ? names(pod.metadata.namespace) : usable));
    }),
    storage: {
      classes,
      drivers: [driverOf(tracked, true), driverOf(limited, false)],
      csiNodes: nodes.flatMap((node) => (draw.chance(0.7) ? [drawCsiNode(draw, node)] : [])),
      capacities: times(draw.below(3), (index) => drawCapacity(draw, `${seed}-capacity-${index}`, seed)),
      volumes,
      claims,
      attachments: nodes.flatMap((node) => (draw.chance(0.3) ? drawAttachment(draw, node, volumes) : [])),
      terminating: made.filter(({ state }) => state === "deleted").map(({ claim }) => claim.metadata.name ?? ""),
    },
  };
}

function withDriverZone(draw: Draw, node: Node): Node {
  const zone = node.metadata.labels?.[zoneKey];
  if (zone === undefined || draw.chance(0.4)) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, [ebsZoneKey]: zone } } };
}

function drawClasses(draw: Draw, seed: string): readonly StorageClass[] {
  const of = (name: string, provisioner: string, facts: Partial<StorageClass> = {}): StorageClass => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: `${seed}-${name}` },
    provisioner,
    volumeBindingMode: "WaitForFirstConsumer",
    ...facts,
  });
  const allowedTopologies = [{ matchLabelExpressions: [{ key: zoneKey, values: [draw.one(["a", "b"]), "c"] }] }];
  return [
    of("wait", "kubernetes.io/no-provisioner"),
    of("made", limited, draw.chance(0.5) ? { allowedTopologies } : {}),
    of("tracked", tracked),
    of("now", "kubernetes.io/no-provisioner", { volumeBindingMode: "Immediate" }),
  ];
}

function driverOf(name: string, storageCapacity: boolean): CSIDriver {
  return { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name }, spec: { storageCapacity } };
}

function drawCsiNode(draw: Draw, { metadata: { name = "" } }: Node): CSINode {
  const annotations = { "storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs" };
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name, ...(draw.chance(0.5) ? { annotations } : {}) },
    spec: {
      drivers: [limited, ebs]
        .filter(() => draw.chance(0.8))
        .map((driver) => ({ name: driver, nodeID: name, allocatable: { count: 1 + draw.below(3) } })),
    },
  };
}

function drawCapacity(draw: Draw, name: string, seed: string): CSIStorageCapacity {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    metadata: { name, namespace: "red" },
    storageClassName: `${seed}-tracked`,
    ...(draw.chance(0.9) ? { nodeTopology: { matchLabels: { [zoneKey]: draw.one(["a", "b", "c"]) } } } : {}),
    ...(draw.chance(0.9) ? { capacity: draw.one(["1Gi", "2Gi", "100Mi"]) } : {}),
    ...(draw.chance(0.3) ? { maximumVolumeSize: draw.one(["500Mi", "1Gi"]) } : {}),
  };
}

function drawAttachment(draw: Draw, node: Node, volumes: readonly PersistentVolume[]): readonly VolumeAttachment[] {
  if (volumes.length === 0) return [];
  const persistentVolumeName = draw.one(volumes).metadata.name ?? "";
  const { name: nodeName = "" } = node.metadata;
  return [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: `${nodeName}-attachment` },
      spec: { attacher: limited, nodeName, source: { persistentVolumeName } },
    },
  ];
}

const claimStates = [
  "bound",
  "bound",
  "exclusive",
  "delayed",
  "delayed",
  "delayed",
  "immediate",
  "prebound",
  "lost",
  "deleted",
  "orphan",
] as const;
type ClaimState = (typeof claimStates)[number];

interface DrawnClaim {
  readonly state: ClaimState;
  readonly claim: PersistentVolumeClaim;
  readonly volume?: PersistentVolume;
}

interface ClaimShape {
  readonly seed: string;
  readonly namespace: string;
  readonly index: number;
  readonly nodes: readonly Node[];
}

function drawClaim(draw: Draw, { seed, namespace, index, nodes }: ClaimShape): DrawnClaim {
  const state = draw.one(claimStates);
  const name = `${seed}-${namespace}-claim-${index}`;
  const volumeName = `${name}-volume`;
  const size = draw.one(["100Mi", "512Mi", "1Gi"]);
  const isBound = state === "bound" || state === "exclusive" || state === "lost" || state === "deleted";
  const hasVolumeName = isBound || state === "prebound" || state === "orphan";
  const delayedClasses = ["wait", "made", "tracked"];
  const className = state === "delayed" ? draw.one(delayedClasses) : draw.one(["now", "absent", ""]);
  const annotations = {
    ...(isBound || state === "orphan" ? { "pv.kubernetes.io/bind-completed": "yes" } : {}),
    ...(state === "delayed" && draw.chance(0.15)
      ? { "volume.kubernetes.io/selected-node": draw.one(nodes).metadata.name ?? "" }
      : {}),
  };
  const accessMode =
    state === "exclusive" ? "ReadWriteOncePod" : draw.one(["ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany"]);
  const claim: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace,
      annotations,
      ...(state === "deleted" ? { finalizers: [keepFinalizer] } : {}),
    },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: size } },
      storageClassName: className === "" ? "" : `${seed}-${className}`,
      ...(hasVolumeName ? { volumeName } : {}),
      ...(state === "delayed" && draw.chance(0.15) ? { selector: { matchLabels: { disk: "ssd" } } } : {}),
    },
    status: { phase: state === "lost" ? "Lost" : isBound ? "Bound" : "Pending" },
  };
  if (!isBound || state === "lost") return { state, claim };
  const volume = drawVolume(draw, volumeName, { size: "1Gi", phase: "Bound", nodes });
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace };
  return { state, claim, volume: { ...volume, spec: { ...volume.spec, claimRef } } };
}

interface VolumeShape {
  readonly size: string;
  readonly phase: string;
  readonly nodes: readonly Node[];
}

function drawVolume(draw: Draw, name: string, { size, phase, nodes }: VolumeShape): PersistentVolume {
  const zone = draw.one(["a", "b", "c"]);
  const labels: Record<string, string> = { disk: draw.one(["ssd", "hdd"]) };
  if (draw.chance(0.15)) labels[zoneKey] = draw.one([zone, "a__b"]);
  if (draw.chance(0.1)) labels[oldZoneKey] = zone;
  const host = draw.one(nodes).metadata.labels?.["kubernetes.io/hostname"] ?? "nowhere";
  const [key, value] = draw.one([
    [zoneKey, zone],
    [oldZoneKey, zone],
    ["kubernetes.io/hostname", host],
  ] as const);
  const nodeAffinity = {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] },
  };
  const source: PersistentVolumeSpec = draw.one([
    { csi: { driver: limited, volumeHandle: name } },
    { csi: { driver: limited, volumeHandle: name } },
    { awsElasticBlockStore: { volumeID: `aws:///vol-${name.length}` } },
    { hostPath: { path: "/data" } },
  ]);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, labels },
    spec: {
      ...source,
      accessModes: draw.chance(0.8) ? ["ReadWriteOnce", "ReadOnlyMany"] : ["ReadWriteOnce"],
      capacity: { storage: size },
      persistentVolumeReclaimPolicy: "Retain",
      ...(draw.chance(0.6) ? { nodeAffinity } : {}),
    },
    status: { phase },
  };
}

interface FreeShape {
  readonly index: number;
  readonly nodes: readonly Node[];
  readonly made: readonly DrawnClaim[];
}

/** A volume that waits for a claim, in a few cases for a certain one. */
function drawFreeVolume(draw: Draw, seed: string, { index, nodes, made }: FreeShape): PersistentVolume {
  const size = `${[300, 600, 1024, 2048][index % 4] ?? 0}Mi`;
  const distinct = `${Number.parseInt(size, 10) + index}Mi`;
  const phase = draw.one(["Available", "Available", "Available", "Released"]);
  const volume = drawVolume(draw, `${seed}-free-${index}`, { size: distinct, phase, nodes });
  const delayed = made.filter(({ state }) => state === "delayed");
  const promised = delayed.length > 0 && draw.chance(0.15) ? draw.one(delayed).claim : undefined;
  const { name, namespace } = promised?.metadata ?? {};
  return {
    ...volume,
    spec: {
      ...volume.spec,
      storageClassName: promised?.spec?.storageClassName ?? `${seed}-${draw.one(["wait", "wait", "made"])}`,
      ...(name === undefined || namespace === undefined
        ? {}
        : { claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace } }),
    },
  };
}

/** Of several volumes that are promised to one claim upstream takes any, so that there is nothing to compare. */
function withOnePromiseEach(volumes: readonly PersistentVolume[]): readonly PersistentVolume[] {
  const promised = new Set<string>();
  return volumes.map((volume) => {
    const { claimRef, ...spec } = volume.spec ?? {};
    if (claimRef === undefined) return volume;
    const key = `${claimRef.namespace}/${claimRef.name}`;
    if (promised.has(key)) return { ...volume, spec };
    promised.add(key);
    return volume;
  });
}

function withVolumes(pod: Pod, volumes: readonly Volume[]): Pod {
  return { ...pod, spec: { ...pod.spec, volumes: volumes.map((volume, index) => ({ ...volume, name: `v${index}` })) } };
}

const toVolume = (claimName: string): Volume => ({ name: "v", persistentVolumeClaim: { claimName } });

/** Of a claim that a pod names twice, upstream's first attempt to bind it fails, so that no pod does. */
function drawVolumes(draw: Draw, claims: readonly string[]): readonly Volume[] {
  const drawn = times<Volume>(1 + draw.below(2), () => {
    if (draw.chance(0.05)) return toVolume("missing");
    if (draw.chance(0.05)) return { name: "v", ephemeral: ephemeralTemplate };
    if (draw.chance(0.15) || claims.length === 0) return drawDisk(draw);
    return toVolume(draw.one(claims));
  });
  const names = drawn.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
  return drawn.filter((_, index) => names[index] === undefined || names.indexOf(names[index]) === index);
}

const ephemeralTemplate = {
  volumeClaimTemplate: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "absent" },
  },
};

function drawDisk(draw: Draw): Volume {
  const readOnly = draw.chance(0.5);
  const id = draw.one(["1", "2"]);
  return draw.one<Volume>([
    { name: "v", gcePersistentDisk: { pdName: `disk-${id}`, readOnly } },
    { name: "v", awsElasticBlockStore: { volumeID: `vol-${id}` } },
    { name: "v", iscsi: { targetPortal: "10.0.0.1", iqn: `iqn.2001-04.com.example:${id}`, lun: 0, readOnly } },
    { name: "v", rbd: { monitors: ["m", draw.one(["n", "o"])], image: `image-${id}`, readOnly } },
    { name: "v", emptyDir: {} },
  ]);
}
