// Keeps one hollow node known to the API server: registers it once, renews its Lease every ten seconds, and reports its status when something has
// changed or about five minutes have passed. A node that is cut off does nothing of this. A Node object that was deleted is not created again, as a
// kubelet would not either before its restart.
import {
  type coordinationv1,
  type corev1,
  createStrategicMerge,
  findCondition,
  isAlreadyExists,
  isNotFound,
  printMicroTime,
} from "@kubeloop/core/api";
import { type Clock, deepEqual, type Random, randomBetween } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import type { EventRecorder } from "@kubeloop/core/events";
import { leases, nodes } from "@kubeloop/core/resources";
import { newNode, toNodeStatus, withoutHeartbeats } from "../node/node-object.ts";
import type { HollowNode } from "./hollow-node.ts";

export interface NodeWorkerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorderOf: (node: string) => EventRecorder;
}

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
/** A quarter of the lease, and up to 4 % more, so that many nodes do not renew at once. */
const renewMs = 10_000;
const renewJitter = 0.04;
const reportMs = 300_000;

export class NodeWorker {
  readonly #options: NodeWorkerOptions;

  constructor(options: NodeWorkerOptions) {
    this.#options = options;
  }

  /** `seen` is the Node object in the cache. Returns when to look again. */
  async sync(node: HollowNode, seen: corev1.Node | undefined, signal: AbortSignal): Promise<number> {
    if (seen !== undefined) node.object = seen;
    if (node.isCutOff) return Number.POSITIVE_INFINITY;
    if (!node.isRegistered) await this.#register(node, signal);
    else if (seen !== undefined) await this.#report(node, seen, signal);
    if (this.#options.clock.now() >= node.renewAtMs) await this.#renew(node, signal);
    return node.renewAtMs;
  }

  async #register(node: HollowNode, signal: AbortSignal): Promise<void> {
    const { client, clock, recorderOf } = this.#options;
    const wanted = newNode(node.spec, node, clock.now());
    try {
      node.object = await client.resource(nodes).create(wanted, signal);
      this.#scheduleReport(node, "changed");
      this.#recordChanges(node, { ...wanted, status: {} }, wanted.status);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name, labels } = wanted.metadata;
      const body = { metadata: { labels, annotations: wanted.metadata.annotations } };
      const existing = await client.resource(nodes).patch(name ?? "", { type: "strategic", body }, signal);
      await this.#report(node, existing, signal);
    }
    recorderOf(node.spec.name).event(referenceTo(node), "Normal", "Starting", "Starting kubelet.");
    node.isRegistered = true;
  }

  async #report(node: HollowNode, seen: corev1.Node, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const nowMs = clock.now();
    const isDue = nowMs >= node.reportAtMs;
    // An idle node is compared only when something it is made of has changed.
    const known = [seen, node.notReady, node.images.size];
    if (!isDue && known.every((part, i) => part === node.compared[i])) return;
    const status = toNodeStatus(node.spec, seen.status, node, nowMs);
    const isNews = !deepEqual(withoutHeartbeats(status), withoutHeartbeats(seen.status));
    this.#recordCordon(node, seen);
    if (isNews || isDue) {
      const { apiVersion, kind, metadata } = seen;
      const frame = { apiVersion, kind, metadata: {} };
      const body = createStrategicMerge({ ...frame, status: seen.status ?? {} }, { ...frame, status });
      try {
        const statusClient = client.resource(nodes).subresource("status");
        node.object = await statusClient.patch(metadata.name ?? "", { type: "strategic", body }, signal);
      } catch (error) {
        // Deleted meanwhile: the cache will tell.
        if (!isNotFound(error)) throw error;
      }
      this.#scheduleReport(node, isNews ? "changed" : "unchanged");
      this.#recordChanges(node, seen, status);
    }
    node.compared = known;
  }

  /** After a change the next report that must come is moved at random, so that many nodes do not report at once. */
  #scheduleReport(node: HollowNode, why: "changed" | "unchanged"): void {
    const { clock, random } = this.#options;
    const factor = why === "changed" ? randomBetween(random, 0.5, 1.5) : 1;
    node.reportAtMs = clock.now() + reportMs * factor;
  }

  #recordChanges(node: HollowNode, seen: corev1.Node, status: corev1.NodeStatus | undefined): void {
    for (const [type, reasons] of Object.entries(conditionEvents)) {
      const before = findCondition(seen.status?.conditions, type)?.status ?? "Unknown";
      const after = findCondition(status?.conditions, type)?.status ?? "Unknown";
      const reason = reasons[after];
      if (before !== after && reason !== undefined) this.#record(node, reason);
    }
  }

  #recordCordon(node: HollowNode, seen: corev1.Node): void {
    const isUnschedulable = seen.spec?.unschedulable === true;
    if (isUnschedulable === node.isUnschedulable) return;
    node.isUnschedulable = isUnschedulable;
    this.#record(node, isUnschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
  }

  #record(node: HollowNode, reason: string): void {
    const { name } = node.spec;
    this.#options.recorderOf(name).event(referenceTo(node), "Normal", reason, `Node ${name} status is now: ${reason}`);
  }

  async #renew(node: HollowNode, signal: AbortSignal): Promise<void> {
    const { client, clock, random } = this.#options;
    const { name } = node.spec;
    const nowMs = clock.now();
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: printMicroTime(nowMs) };
    const leaseClient = client.resource(leases).in(leaseNamespace);
    try {
      await leaseClient.patch(name, { type: "merge", body: { spec } }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // A lease without an owner would stay for ever, so it waits until the Node is there.
      const lease = newLease(node, spec);
      if (lease !== undefined) await leaseClient.create(lease, signal);
    }
    // Nodes that start together spread over the interval from the second renewal on.
    const [from, to] = node.renewAtMs === 0 ? [0, 1] : [1, 1 + renewJitter];
    node.renewAtMs = nowMs + renewMs * randomBetween(random, from, to);
  }
}

/** The events of the conditions that a kubelet reports, by the condition's new status. */
const conditionEvents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MemoryPressure: { True: "NodeHasInsufficientMemory", False: "NodeHasSufficientMemory" },
  DiskPressure: { True: "NodeHasDiskPressure", False: "NodeHasNoDiskPressure" },
  PIDPressure: { True: "NodeHasInsufficientPID", False: "NodeHasSufficientPID" },
  Ready: { True: "NodeReady", False: "NodeNotReady" },
};

/** What a kubelet's events about its Node refer to: its uid is the name. */
function referenceTo({ spec: { name } }: HollowNode): corev1.Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: name } };
}

function newLease(
  { spec: { name }, object }: HollowNode,
  spec: coordinationv1.LeaseSpec,
): coordinationv1.Lease | undefined {
  const { uid } = object?.metadata ?? {};
  if (uid === undefined) return undefined;
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
  const metadata = { name, namespace: leaseNamespace, ownerReferences };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}
