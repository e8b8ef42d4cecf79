// Keeps one hollow node known to the API server: registers it once, renews its Lease every ten seconds, and reports its status when something has
// changed or five minutes have passed. A node that is cut off does nothing of this. A Node object that was deleted is not created again, as a
// kubelet would not either before its restart.
import {
  type coordinationv1,
  type corev1,
  createStrategicMerge,
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
    const { clock, random } = this.#options;
    if (seen !== undefined) node.object = seen;
    const wakeAtMs = clock.now() + renewMs * randomBetween(random, 1, 1 + renewJitter);
    if (node.isCutOff) return Number.POSITIVE_INFINITY;
    if (!node.isRegistered) await this.#register(node, signal);
    else if (seen !== undefined) await this.#report(node, seen, signal);
    if (node.renewedMs === undefined || clock.now() - node.renewedMs >= renewMs) await this.#renew(node, signal);
    return wakeAtMs;
  }

  async #register(node: HollowNode, signal: AbortSignal): Promise<void> {
    const { client, clock, recorderOf } = this.#options;
    const wanted = newNode(node.spec, node, clock.now());
    try {
      node.object = await client.resource(nodes).create(wanted, signal);
      node.reportedMs = clock.now();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { name, labels } = wanted.metadata;
      const body = { metadata: { labels, annotations: wanted.metadata.annotations } };
      const existing = await client.resource(nodes).patch(name ?? "", { type: "strategic", body }, signal);
      await this.#report(node, existing, signal);
    }
    node.isRegistered = true;
    const recorder = recorderOf(node.spec.name);
    recorder.event(wanted, "Normal", "Starting", "Starting kubelet.");
  }

  async #report(node: HollowNode, seen: corev1.Node, signal: AbortSignal): Promise<void> {
    const { client, clock, recorderOf } = this.#options;
    const nowMs = clock.now();
    const status = toNodeStatus(node.spec, seen.status, node, nowMs);
    const isNews = !deepEqual(withoutHeartbeats(status), withoutHeartbeats(seen.status));
    if (!isNews && node.reportedMs !== undefined && nowMs - node.reportedMs < reportMs) return;
    const { apiVersion, kind, metadata } = seen;
    const frame = { apiVersion, kind, metadata: {} };
    const body = createStrategicMerge({ ...frame, status: seen.status ?? {} }, { ...frame, status });
    const before = readyOf(seen.status);
    try {
      const statusClient = client.resource(nodes).subresource("status");
      node.object = await statusClient.patch(metadata.name ?? "", { type: "strategic", body }, signal);
    } catch (error) {
      // Deleted meanwhile: the cache will tell.
      if (!isNotFound(error)) throw error;
    }
    node.reportedMs = nowMs;
    const after = readyOf(status);
    if (before === after) return;
    const reason = after === "True" ? "NodeReady" : "NodeNotReady";
    recorderOf(node.spec.name).event(seen, "Normal", reason, `Node ${node.spec.name} status is now: ${reason}`);
  }

  async #renew(node: HollowNode, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const { name } = node.spec;
    const nowMs = clock.now();
    const renewTime = printMicroTime(nowMs);
    const leaseClient = client.resource(leases).in(leaseNamespace);
    try {
      await leaseClient.patch(name, { type: "merge", body: { spec: { renewTime } } }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await leaseClient.create(newLease(node, renewTime), signal);
    }
    node.renewedMs = nowMs;
  }
}

function newLease({ spec: { name }, object }: HollowNode, renewTime: string): coordinationv1.Lease {
  const { uid } = object?.metadata ?? {};
  const owner = uid === undefined ? {} : { ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] };
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: leaseNamespace, ...owner },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime },
  };
}

function readyOf(status: corev1.NodeStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}
