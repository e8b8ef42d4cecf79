// Nodes, pods and whole clusters for the tests of the scheduler, in few words.
import { seededRandom } from "@kubeloop/core/base";
import type {
  Container,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Service,
  Taint,
} from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "@kubeloop/core/types/storage/v1";
import { type Listers, noListers } from "./framework/listers.ts";
import type { Cycle, Plugin } from "./framework/plugin.ts";
import { defaultPlugins } from "./plugins/default-plugins.ts";
import { type ScheduleOptions, schedulePod, type Verdict } from "./schedule.ts";
import { Nominator } from "./snapshot/nominator.ts";
import { incomingPodInfo } from "./snapshot/pod-info.ts";
import { Snapshot } from "./snapshot/snapshot.ts";

export interface NodeFacts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly images?: Readonly<Record<string, number>>;
}

/** 4 cpu, 8 GiB and 110 pods unless said otherwise; always with its hostname. */
export function node(name: string, facts: NodeFacts = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...facts.labels } },
    spec: {
      ...(facts.taints === undefined ? {} : { taints: [...facts.taints] }),
      ...(facts.unschedulable === undefined ? {} : { unschedulable: facts.unschedulable }),
    },
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...facts.allocatable },
      images: Object.entries(facts.images ?? {}).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    },
  };
}

export interface PodFacts {
  readonly on?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly container?: Partial<Container>;
  readonly priority?: number;
  readonly nominatedNodeName?: string;
  readonly startTime?: string;
  readonly terminating?: boolean;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod["status"];
  readonly metadata?: Pod["metadata"];
}

export function pod(name: string, facts: PodFacts = {}): Pod {
  const { on, namespace = "default", labels, requests, priority, nominatedNodeName, startTime } = facts;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      ...(labels === undefined ? {} : { labels }),
      ...(facts.terminating === true ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
      ...facts.metadata,
    },
    spec: {
      containers: [{ name: "app", ...(requests === undefined ? {} : { resources: { requests } }), ...facts.container }],
      ...(on === undefined ? {} : { nodeName: on }),
      ...(priority === undefined ? {} : { priority }),
      ...facts.spec,
    },
    status: {
      ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
      ...(startTime === undefined ? {} : { startTime }),
      ...facts.status,
    },
  };
}

export interface ClusterFacts {
  readonly nodes: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly nominated?: readonly Pod[];
  readonly services?: readonly Service[];
  readonly namespaces?: readonly Namespace[];
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly csiDrivers?: readonly CSIDriver[];
  readonly capacities?: readonly CSIStorageCapacity[];
  readonly attachments?: readonly VolumeAttachment[];
}

export function snapshotOf({ nodes, pods = [] }: ClusterFacts): Snapshot {
  const snapshot = new Snapshot();
  for (const each of nodes) snapshot.setNode(each);
  for (const each of pods) snapshot.setPod(each);
  return snapshot;
}

export function listersOf(facts: Omit<ClusterFacts, "nodes">): Listers {
  const { services = [], namespaces = [], budgets = [], volumes = [], capacities = [], attachments = [] } = facts;
  type Named = { readonly metadata: { readonly name?: string; readonly namespace?: string } };
  const find = <T extends Named>(objects: readonly T[] | undefined, name: string, namespace?: string) =>
    objects?.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return {
    ...noListers,
    persistentVolumeClaim: (namespace, name) => find(facts.claims, name, namespace),
    persistentVolume: (name) => find(volumes, name),
    persistentVolumes: () => volumes,
    storageClass: (name) => find(facts.classes, name),
    csiNode: (name) => find(facts.csiNodes, name),
    csiDriver: (name) => find(facts.csiDrivers, name),
    csiStorageCapacities: () => capacities,
    volumeAttachments: () => attachments,
    namespace: (name) => namespaces.find(({ metadata }) => metadata.name === name),
    namespaces: () => namespaces,
    services: (namespace) => services.filter(({ metadata }) => metadata.namespace === namespace),
    podDisruptionBudgets: () => budgets,
  };
}

/** Runs one cycle with the default plugins. */
export function schedule(incoming: Pod, cluster: ClusterFacts, options: Partial<ScheduleOptions> = {}): Verdict {
  const nominator = new Nominator();
  for (const each of cluster.nominated ?? []) {
    nominator.nominate(incomingPodInfo(each), each.status?.nominatedNodeName ?? "");
  }
  return schedulePod(incoming, {
    snapshot: snapshotOf(cluster),
    listers: listersOf(cluster),
    nominator,
    plugins: defaultPlugins,
    startIndex: 0,
    percentageOfNodesToScore: 0,
    nowMs: Date.parse("2026-01-02T00:00:00Z"),
    random: seededRandom("fixture"),
    ...options,
  });
}

/** Returns what the plugin alone says of each node: "ok", or the code's short form and the reasons, or "skip" for all. */
export function filterAlone(plugin: Plugin, incoming: Pod, cluster: ClusterFacts): Readonly<Record<string, string>> {
  const cycle = cycleOf(incoming, cluster);
  const result = plugin.preFilter?.(cycle);
  if (result === undefined) return { all: "skip" };
  if ("refusal" in result) return { all: printRefusal(result.refusal) };
  return Object.fromEntries(
    cycle.snapshot.nodes.map((each) => {
      const refusal = result.filter.filter(each);
      return [each.name, refusal === undefined ? "ok" : printRefusal(refusal)];
    }),
  );
}

/** Returns the plugin's normalised scores by node, or "skip". All nodes are taken to be feasible. */
export function scoreAlone(
  plugin: Plugin,
  incoming: Pod,
  cluster: ClusterFacts,
): Readonly<Record<string, number>> | "skip" {
  const cycle = cycleOf(incoming, cluster);
  const { nodes } = cycle.snapshot;
  const scorer = plugin.preScore?.(cycle, nodes);
  if (scorer === undefined) return "skip";
  const scores = nodes.map((each) => scorer.score(each));
  scorer.normalize?.(scores, nodes);
  return Object.fromEntries(nodes.map((each, index) => [each.name, scores[index] ?? Number.NaN]));
}

function cycleOf(incoming: Pod, cluster: ClusterFacts): Cycle {
  return { pod: incomingPodInfo(incoming), snapshot: snapshotOf(cluster), listers: listersOf(cluster) };
}

function printRefusal({ code, reasons }: { readonly code: string; readonly reasons: readonly string[] }): string {
  return `${code === "Unschedulable" ? "U" : "UU"} ${reasons.join(", ")}`;
}
