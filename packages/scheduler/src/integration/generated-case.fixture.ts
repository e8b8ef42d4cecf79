// Clusters drawn from a seed, small but with everything that filters and scores look at: few values, so that they meet, and amounts at the edge of what
// fits. The same seed gives the same case.
import { type Random, randomBelow, seededRandom } from "@kubeloop/core/base";
import type { ReplicaSet } from "@kubeloop/core/types/apps/v1";
import type { Affinity, Container, Node, Pod, Service, Toleration } from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import { drawPodAffinity, drawSpread } from "./generated-constraints.fixture.ts";
import { drawStorage, type GeneratedStorage, noStorage } from "./generated-volumes.fixture.ts";

export interface GeneratedCase {
  /** In the order of their creation, which decides the order of the search. */
  readonly nodes: readonly Node[];
  readonly bound: readonly Pod[];
  /** Names of bound pods that are to be deleted, with a grace period that does not end. */
  readonly terminating: readonly string[];
  readonly services: readonly Service[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly storage: GeneratedStorage;
  /** To be scheduled one after the other. */
  readonly pending: readonly Pod[];
}

export const caseNamespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  red: { team: "red" },
  blue: { team: "blue", tier: "back" },
};

export interface CaseSize {
  readonly nodes?: number;
  readonly pending?: number;
  /** Whether nodes are nearly full of pods of low priority, and pending pods have a higher one. */
  readonly preempts?: boolean;
  /** Whether pods have volumes. */
  readonly volumes?: boolean;
}

/** By name, the priority classes that generated pods have in cases with preemption. */
export const casePriorities: Readonly<Record<string, number>> = { low: -10, middle: 5, high: 1000 };

export function generateCase(seed: string, size: CaseSize = {}): GeneratedCase {
  const random = seededRandom(seed);
  const draw = drawFrom(random);
  // In half of the cases resources hardly matter, so that everything else decides.
  const isRoomy = size.preempts !== true && (size.volumes === true || draw.chance(0.5));
  const nodes = times(size.nodes ?? 2 + draw.below(11), (index) =>
    drawNode(draw, `${seed}-node-${index}`, { index, isRoomy }),
  );
  const most = (size.preempts === true ? 4 : 2) * Math.min(nodes.length, 30);
  const bound = times(size.preempts === true ? most : draw.below(most + 1), (index) => {
    const pod = drawPod(draw, `${seed}-bound-${index}`, { isPlain: draw.chance(0.5) });
    const nodeName = draw.one(nodes).metadata.name ?? "";
    return { ...pod, spec: { ...pod.spec, nodeName } };
  });
  const terminating = bound.filter(() => draw.chance(0.1)).map(({ metadata }) => metadata.name ?? "");
  const services = Object.keys(caseNamespaces).flatMap((namespace) =>
    draw.chance(0.3) ? [drawService(draw, `${seed}-service`, namespace)] : [],
  );
  const replicaSets = Object.keys(caseNamespaces).map((namespace) => drawReplicaSet(draw, `${seed}-set`, namespace));
  const pending = times(size.pending ?? 8, (index) => {
    const isPlain = draw.chance(size.volumes === true ? 0.7 : 0.2);
    const pod = drawPod(draw, `${seed}-pod-${index}`, { isPlain });
    const set = replicaSets.find(({ metadata }) => metadata.namespace === pod.metadata.namespace);
    const owned = set !== undefined && draw.chance(0.25) ? ownedBy(pod, set) : pod;
    return size.preempts !== true && draw.chance(0.05) ? gated(owned) : owned;
  });
  const drawn = { nodes, bound, terminating, services, replicaSets, budgets: [], pending, storage: noStorage };
  if (size.volumes === true) return { ...drawn, ...drawStorage(draw, seed, { nodes, bound, pending }) };
  return size.preempts === true ? withPriorities(draw, drawn) : drawn;
}

function gated(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, schedulingGates: [{ name: "example.com/gate" }] } };
}

function withPriorities(draw: Draw, drawn: GeneratedCase): GeneratedCase {
  const withClass = (classes: readonly string[]) => (pod: Pod) => ({
    ...pod,
    spec: { ...pod.spec, priorityClassName: draw.one(classes) },
  });
  const budgets = Object.keys(caseNamespaces).flatMap((namespace) =>
    draw.chance(0.6) ? [drawBudget(draw, `${draw.below(1e6)}-budget`, namespace)] : [],
  );
  return {
    ...drawn,
    // A pod that terminates for another reason is not waited for, but what becomes of it is up to the time of its deletion.
    terminating: [],
    bound: drawn.bound.map(withClass(["low", "low", "middle", "high"])),
    pending: drawn.pending.map(withClass(["middle", "high"])),
    budgets,
  };
}

function drawBudget(draw: Draw, name: string, namespace: string): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: draw.one(["web", "db", "cache"]) } }, minAvailable: 1 },
    status: { disruptionsAllowed: draw.below(3), currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
  };
}

export interface Draw {
  below(bound: number): number;
  chance(probability: number): boolean;
  one<T>(values: readonly T[]): T;
}

export function drawFrom(random: Random): Draw {
  return {
    below: (bound) => randomBelow(random, bound),
    chance: (probability) => random.next() < probability,
    one: (values) => {
      const value = values[randomBelow(random, values.length)];
      if (value === undefined) throw new Error("nothing to draw from");
      return value;
    },
  };
}

export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const effects = ["NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const images = ["registry.example/app:1", "registry.example:5000/tool:latest", "registry.example/base:2"] as const;

interface NodeShape {
  readonly index: number;
  readonly isRoomy: boolean;
}

function drawNode(draw: Draw, name: string, { index, isRoomy }: NodeShape): Node {
  const labels: Record<string, string> = {};
  if (draw.chance(0.95)) labels["kubernetes.io/hostname"] = name;
  if (draw.chance(0.85)) labels["topology.kubernetes.io/zone"] = draw.one(["a", "b", "c"]);
  if (draw.chance(0.3)) labels["topology.kubernetes.io/region"] = "r";
  if (draw.chance(0.7)) labels["disk"] = draw.one(["ssd", "hdd"]);
  if (draw.chance(0.5)) labels["cores"] = String(draw.below(8));
  if (draw.chance(0.6)) labels["rack"] = String(index % 3);
  const allocatable: Record<string, string> = {
    cpu: draw.one(isRoomy ? ["16", "31", "64"] : ["1", "2", "1500m", "4"]),
    memory: draw.one(isRoomy ? ["32Gi", "64Gi", "65G"] : ["1Gi", "2Gi", "4000M"]),
    pods: draw.one(isRoomy ? ["110"] : ["3", "5", "10", "110"]),
  };
  if (isRoomy || draw.chance(0.3)) allocatable["example.com/gpu"] = String(1 + draw.below(3));
  if (isRoomy || draw.chance(0.5)) allocatable["ephemeral-storage"] = "100Gi";
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: {
      ...(draw.chance(0.1) ? { unschedulable: true } : {}),
      taints: times(draw.chance(isRoomy ? 0.2 : 0.4) ? 1 + draw.below(2) : 0, (each) => ({
        key: draw.one(["dedicated", "fast"]) + each,
        value: draw.one(["x", "y"]),
        effect: draw.one(effects),
      })),
    },
    status: {
      allocatable,
      capacity: allocatable,
      declaredFeatures: draw.chance(0.7) ? ["RestartAllContainersOnContainerExits"] : [],
      images: images.filter(() => draw.chance(0.4)).map((image) => ({ names: [image], sizeBytes: 300_000_000 })),
    },
  };
}

export interface PodShape {
  /** Only requests and labels. */
  readonly isPlain: boolean;
}

export function drawPod(draw: Draw, name: string, { isPlain }: PodShape): Pod {
  const labels: Record<string, string> = { app: draw.one(["web", "db", "cache"]) };
  if (draw.chance(0.5)) labels["tier"] = draw.one(["front", "back"]);
  const base: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: draw.one(Object.keys(caseNamespaces)), labels },
    spec: {
      containers: times(1 + draw.below(2), (index) => drawContainer(draw, `app${index}`, !isPlain && index === 0)),
      terminationGracePeriodSeconds: 0,
    },
  };
  return isPlain ? base : withConstraints(draw, base, labels);
}

function withConstraints(draw: Draw, pod: Pod, labels: Readonly<Record<string, string>>): Pod {
  const affinity = { ...drawNodeAffinity(draw), ...drawPodAffinity(draw) };
  const spread = drawSpread(draw, Object.keys(labels));
  const inits = times(draw.chance(0.25) ? 1 + draw.below(2) : 0, (index) => ({
    ...drawContainer(draw, `init${index}`, false),
    ...(draw.chance(0.5) ? { restartPolicy: "Always" } : {}),
  }));
  const isSized = draw.chance(0.1);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(inits.length > 0 ? { initContainers: inits } : {}),
      ...(draw.chance(0.15) ? { nodeSelector: { disk: draw.one(["ssd", "hdd"]) } } : {}),
      ...(draw.chance(0.5) ? { tolerations: times(1 + draw.below(2), () => drawToleration(draw)) } : {}),
      ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
      ...(spread.length > 0 ? { topologySpreadConstraints: spread } : {}),
      ...(isSized ? { resources: { requests: { cpu: draw.one(["4", "4500m"]) } } } : {}),
    },
  };
}

function drawContainer(draw: Draw, name: string, mayHavePort: boolean): Container {
  const requests: Record<string, string> = {};
  if (draw.chance(0.8)) requests["cpu"] = draw.one(["100m", "250m", "499m", "500m", "501m", "1", "0"]);
  if (draw.chance(0.8)) requests["memory"] = draw.one(["64Mi", "200Mi", "512Mi", "1Gi", "1000M"]);
  if (draw.chance(0.06)) requests["ephemeral-storage"] = "6Gi";
  const gpus = draw.chance(0.05) ? { "example.com/gpu": "1" } : undefined;
  const port = { containerPort: 80, hostPort: draw.one([80, 81]), protocol: draw.one(["TCP", "UDP"]) };
  const hostIP = draw.one(["", "", "127.0.0.1", "10.0.0.1"]);
  return {
    name,
    image: draw.one([...images, "registry.example:5000/tool"]),
    resources: { requests: { ...requests, ...gpus }, ...(gpus === undefined ? {} : { limits: gpus }) },
    ...(mayHavePort && draw.chance(0.05) ? restartsAll : {}),
    ...(mayHavePort && draw.chance(0.15) ? { ports: [hostIP === "" ? port : { ...port, hostIP }] } : {}),
  };
}

/** Only nodes that declare it can do this. */
const restartsAll: Partial<Container> = {
  restartPolicy: "Never",
  restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } }],
};

function drawToleration(draw: Draw): Toleration {
  const effect = draw.one(["", "NoSchedule", "PreferNoSchedule", "NoExecute"]);
  const key = draw.one(["dedicated0", "fast0", "dedicated1", "node.kubernetes.io/unschedulable"]);
  return {
    key,
    ...(draw.chance(0.5) ? { operator: "Exists" } : { operator: "Equal", value: draw.one(["x", "y"]) }),
    ...(effect === "" ? {} : { effect }),
  };
}

function drawNodeAffinity(draw: Draw): Pick<Affinity, "nodeAffinity"> {
  const term = () => ({
    matchExpressions: [
      draw.one([
        { key: "disk", operator: "In", values: ["ssd"] },
        { key: "disk", operator: "NotIn", values: ["ssd"] },
        { key: "rack", operator: "Exists" },
        { key: "rack", operator: "DoesNotExist" },
        { key: "cores", operator: "Gt", values: ["3"] },
        { key: "topology.kubernetes.io/zone", operator: "In", values: ["a", "b"] },
      ]),
    ],
  });
  const nodeAffinity = {
    ...(draw.chance(0.2)
      ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: times(1 + draw.below(2), term) } }
      : {}),
    ...(draw.chance(0.2)
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: times(1 + draw.below(3), () => ({
            weight: 1 + draw.below(100),
            preference: term(),
          })),
        }
      : {}),
  };
  return Object.keys(nodeAffinity).length === 0 ? {} : { nodeAffinity };
}

function drawService(draw: Draw, name: string, namespace: string): Service {
  const selector = { app: draw.one(["web", "db"]) };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector, ports: [{ port: 80 }], clusterIP: "None" },
  };
}

function drawReplicaSet(draw: Draw, name: string, namespace: string): ReplicaSet {
  const labels = { app: draw.one(["web", "db", "cache"]) };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app" }] } },
    },
  };
}

function ownedBy(pod: Pod, { metadata, spec }: ReplicaSet): Pod {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: metadata.name ?? "", uid: "set", controller: true };
  const labels = { ...pod.metadata.labels, ...spec?.selector?.matchLabels };
  return { ...pod, metadata: { ...pod.metadata, labels, ownerReferences: [owner] } };
}
