// Claims, volumes and storage classes for the tests of the scheduler, in few words.
import type {
  NodeSelector,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  Volume,
} from "@kubeloop/core/types/core/v1";
import type { CSINode, StorageClass } from "@kubeloop/core/types/storage/v1";
import { type PodFacts, pod } from "./cluster.fixture.ts";

export interface ClaimFacts {
  readonly volume?: string;
  /** Whether the controller has completed the binding. Default: if there is a volume. */
  readonly isBound?: boolean;
  readonly className?: string;
  readonly size?: string;
  readonly selectedNode?: string;
  readonly spec?: PersistentVolumeClaim["spec"];
  readonly status?: PersistentVolumeClaim["status"];
  readonly metadata?: PersistentVolumeClaim["metadata"];
}

/** 1 GiB, ReadWriteOnce, in the namespace `default` unless said otherwise. */
export function claim(name: string, facts: ClaimFacts = {}): PersistentVolumeClaim {
  const { volume, className, size = "1Gi", selectedNode, isBound = volume !== undefined } = facts;
  const annotations = {
    ...(isBound ? { "pv.kubernetes.io/bind-completed": "yes" } : {}),
    ...(selectedNode === undefined ? {} : { "volume.kubernetes.io/selected-node": selectedNode }),
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...facts.metadata,
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(volume === undefined ? {} : { volumeName: volume }),
      ...(className === undefined ? {} : { storageClassName: className }),
      ...facts.spec,
    },
    status: { phase: isBound ? "Bound" : "Pending", ...facts.status },
  };
}

export interface VolumeFacts {
  readonly className?: string;
  readonly size?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Reachable only from nodes with this label. */
  readonly near?: readonly [key: string, value: string];
  readonly phase?: string;
  readonly spec?: PersistentVolumeSpec;
  readonly metadata?: PersistentVolume["metadata"];
}

/** 1 GiB, ReadWriteOnce, available and reachable from everywhere unless said otherwise. */
export function volume(name: string, facts: VolumeFacts = {}): PersistentVolume {
  const { className, size = "1Gi", labels, near, phase = "Available" } = facts;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, ...(labels === undefined ? {} : { labels }), ...facts.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: size },
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(near === undefined ? {} : { nodeAffinity: { required: nodesWith(...near) } }),
      ...facts.spec,
    },
    status: { phase },
  };
}

export function nodesWith(key: string, ...values: readonly string[]): NodeSelector {
  return { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }] };
}

/** Waits for the first consumer, and has no provisioner, unless said otherwise. */
export function storageClass(name: string, facts: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
    ...facts,
  };
}

/** Drivers with their limits; undefined is no limit. */
export function csiNode(
  name: string,
  limits: Readonly<Record<string, number | undefined>>,
  metadata: CSINode["metadata"] = {},
): CSINode {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name, ...metadata },
    spec: {
      drivers: Object.entries(limits).map(([driver, count]) => ({
        name: driver,
        nodeID: name,
        ...(count === undefined ? {} : { allocatable: { count } }),
      })),
    },
  };
}

/** A pod with volumes of these claims. */
export function podWith(claims: readonly string[], facts: PodFacts & { readonly name?: string } = {}): Pod {
  const { name = "p", ...rest } = facts;
  return podWithVolumes(
    claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    { name, ...rest },
  );
}

export function podWithVolumes(volumes: readonly Volume[], facts: PodFacts & { readonly name?: string } = {}): Pod {
  const { name = "p", ...rest } = facts;
  return pod(name, { ...rest, spec: { volumes, ...rest.spec } });
}
