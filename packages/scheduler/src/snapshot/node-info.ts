// A node with the sums over its pods, kept up to date as pods come and go: the cost of a change does not depend on how many pods there are, and
// that of a removal only on the pods of this node. Between two cycles the snapshot changes it; within a cycle it is read-only, and whoever tries
// something out (nominated pods, victims) does so on a clone.
import type { Node } from "@kubeloop/core/types/core/v1";
import { HostPorts } from "./host-ports.ts";
import { boundPodInfo, hasAffinity, type PodInfo } from "./pod-info.ts";
import { type Allocatable, allocatableOf } from "./resources.ts";

type Labels = Readonly<Record<string, string>>;

const noLabels: Labels = {};

/** How many different questions a node remembers the answer to. */
const maxCounts = 64;

const at = {
  pods: 0,
  milliCpu: 1,
  memory: 2,
  ephemeralStorage: 3,
  allocatablePods: 4,
  allocatableMilliCpu: 5,
  allocatableMemory: 6,
  allocatableEphemeralStorage: 7,
  nonZeroMilliCpu: 8,
  nonZeroMemory: 9,
} as const;
const amountCount = 10;

export class NodeInfo {
  #node: Node;
  #labels: Labels;
  /** Undefined until it is asked for. */
  #allocatable: Allocatable | undefined;
  readonly #pods = new Map<string, PodInfo>();
  #podsWithAffinity: Map<string, PodInfo> | undefined;
  #podsWithRequiredAntiAffinity: Map<string, PodInfo> | undefined;
  #ports: HostPorts | undefined;
  #scalarRequests: Map<string, number> | undefined;
  #podsWithClaims: Map<string, PodInfo> | undefined;
  /** Numbers over this node's pods, by what was counted. Only as long as the pods stay the same. */
  #counts: Map<string, number> | undefined;
  /** Numbers that every cycle reads of every node, side by side in memory: at these places. */
  readonly #amounts = new Float64Array(amountCount);

  constructor(node: Node) {
    this.#node = node;
    this.#labels = node.metadata.labels ?? noLabels;
  }

  get requestedMilliCpu(): number {
    return this.#amounts[at.milliCpu] ?? 0;
  }

  get requestedMemory(): number {
    return this.#amounts[at.memory] ?? 0;
  }

  get requestedEphemeralStorage(): number {
    return this.#amounts[at.ephemeralStorage] ?? 0;
  }

  get nonZeroMilliCpu(): number {
    return this.#amounts[at.nonZeroMilliCpu] ?? 0;
  }

  get nonZeroMemory(): number {
    return this.#amounts[at.nonZeroMemory] ?? 0;
  }

  /** Whether so much is free, and a place for one more pod. Extended resources are not looked at. */
  hasRoom(milliCpu: number, memory: number, ephemeralStorage: number): boolean {
    if (this.#allocatable === undefined) this.#readAllocatable();
    const amounts = this.#amounts;
    return (
      (amounts[at.pods] ?? 0) < (amounts[at.allocatablePods] ?? 0) &&
      (milliCpu === 0 || milliCpu <= (amounts[at.allocatableMilliCpu] ?? 0) - (amounts[at.milliCpu] ?? 0)) &&
      (memory === 0 || memory <= (amounts[at.allocatableMemory] ?? 0) - (amounts[at.memory] ?? 0)) &&
      (ephemeralStorage === 0 ||
        ephemeralStorage <= (amounts[at.allocatableEphemeralStorage] ?? 0) - (amounts[at.ephemeralStorage] ?? 0))
    );
  }

  get node(): Node {
    return this.#node;
  }

  get name(): string {
    return this.#node.metadata.name ?? "";
  }

  get labels(): Labels {
    return this.#labels;
  }

  get allocatable(): Allocatable {
    return this.#allocatable ?? this.#readAllocatable();
  }

  /** As in `allocatable`, for those who ask every node. */
  get allocatableMilliCpu(): number {
    if (this.#allocatable === undefined) this.#readAllocatable();
    return this.#amounts[at.allocatableMilliCpu] ?? 0;
  }

  get allocatableMemory(): number {
    if (this.#allocatable === undefined) this.#readAllocatable();
    return this.#amounts[at.allocatableMemory] ?? 0;
  }

  #readAllocatable(): Allocatable {
    return this.#setAllocatable(allocatableOf(this.#node));
  }

  #setAllocatable(allocatable: Allocatable): Allocatable {
    this.#allocatable = allocatable;
    this.#amounts[at.allocatablePods] = allocatable.pods;
    this.#amounts[at.allocatableMilliCpu] = allocatable.milliCpu;
    this.#amounts[at.allocatableMemory] = allocatable.memory;
    this.#amounts[at.allocatableEphemeralStorage] = allocatable.ephemeralStorage;
    return allocatable;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  /** The pods with any affinity or anti-affinity term, required or preferred. */
  get podsWithAffinity(): Iterable<PodInfo> {
    return this.#podsWithAffinity?.values() ?? [];
  }

  get hasPodsWithAffinity(): boolean {
    return (this.#podsWithAffinity?.size ?? 0) > 0;
  }

  get podsWithRequiredAntiAffinity(): Iterable<PodInfo> {
    return this.#podsWithRequiredAntiAffinity?.values() ?? [];
  }

  get hasPodsWithRequiredAntiAffinity(): boolean {
    return (this.#podsWithRequiredAntiAffinity?.size ?? 0) > 0;
  }

  /** Whether a pod on this node uses the claim, named as `namespace/name`. */
  usesClaim(key: string): boolean {
    for (const { claims } of this.#podsWithClaims?.values() ?? []) if (claims.includes(key)) return true;
    return false;
  }

  get hasPodsWithClaims(): boolean {
    return (this.#podsWithClaims?.size ?? 0) > 0;
  }

  get ports(): HostPorts | undefined {
    return this.#ports;
  }

  requestedScalar(name: string): number {
    return this.#scalarRequests?.get(name) ?? 0;
  }

  /**
   * Returns how many pods match. The number is kept until a pod comes or goes, because the pods of a set ask the same of every node, one after the
   * other. `key` names what is counted.
   */
  countPods(key: string, matches: (podInfo: PodInfo) => boolean): number {
    const known = this.#counts?.get(key);
    if (known !== undefined) return known;
    let count = 0;
    for (const podInfo of this.#pods.values()) if (matches(podInfo)) count++;
    if (this.#counts === undefined || this.#counts.size >= maxCounts) this.#counts = new Map();
    this.#counts.set(key, count);
    return count;
  }

  setNode(node: Node): void {
    if (node.status !== this.#node.status) this.#allocatable = undefined;
    this.#node = node;
    this.#labels = node.metadata.labels ?? noLabels;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** Replaces a pod with the same UID. */
  addPod(podInfo: PodInfo): void {
    this.removePod(podInfo.uid);
    this.#pods.set(podInfo.uid, podInfo);
    this.#count(podInfo, 1);
    for (const port of podInfo.hostPorts) {
      this.#ports ??= new HostPorts();
      this.#ports.add(port);
    }
    if (hasAffinity(podInfo)) {
      this.#podsWithAffinity ??= new Map();
      this.#podsWithAffinity.set(podInfo.uid, podInfo);
    }
    if (podInfo.claims.length > 0) {
      this.#podsWithClaims ??= new Map();
      this.#podsWithClaims.set(podInfo.uid, podInfo);
    }
    if (podInfo.requiredAntiAffinity.length > 0) {
      this.#podsWithRequiredAntiAffinity ??= new Map();
      this.#podsWithRequiredAntiAffinity.set(podInfo.uid, podInfo);
    }
  }

  /** Whether there was such a pod. */
  removePod(uid: string): boolean {
    const podInfo = this.#pods.get(uid);
    if (podInfo === undefined) return false;
    this.#pods.delete(uid);
    this.#count(podInfo, -1);
    for (const port of podInfo.hostPorts) this.#ports?.remove(port);
    this.#podsWithAffinity?.delete(uid);
    this.#podsWithClaims?.delete(uid);
    this.#podsWithRequiredAntiAffinity?.delete(uid);
    return true;
  }

  clone(): NodeInfo {
    const clone = new NodeInfo(this.#node);
    clone.#setAllocatable(this.allocatable);
    for (const podInfo of this.#pods.values()) clone.addPod(podInfo);
    return clone;
  }

  #add(place: number, amount: number): void {
    this.#amounts[place] = (this.#amounts[place] ?? 0) + amount;
  }

  #count({ requests, nonZero }: PodInfo, sign: 1 | -1): void {
    this.#counts = undefined;
    this.#add(at.pods, sign);
    this.#add(at.milliCpu, sign * requests.milliCpu);
    this.#add(at.memory, sign * requests.memory);
    this.#add(at.ephemeralStorage, sign * requests.ephemeralStorage);
    this.#add(at.nonZeroMilliCpu, sign * nonZero.milliCpu);
    this.#add(at.nonZeroMemory, sign * nonZero.memory);
    for (const [name, amount] of requests.scalar) {
      this.#scalarRequests ??= new Map();
      this.#scalarRequests.set(name, (this.#scalarRequests.get(name) ?? 0) + sign * amount);
    }
  }
}

/** Returns a node with these pods on it. */
export function nodeInfoOf(node: Node, pods: Iterable<PodInfo["pod"]> = []): NodeInfo {
  const nodeInfo = new NodeInfo(node);
  for (const pod of pods) nodeInfo.addPod(boundPodInfo(pod));
  return nodeInfo;
}
