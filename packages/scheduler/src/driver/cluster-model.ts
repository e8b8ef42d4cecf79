// What the scheduler knows of the cluster, kept up to date by what its informers report: the snapshot, the nominations and the queue. Pods that were
// decided on but not yet seen bound are assumed: they count as if they were on their node.
//
// A pod that has ended counts as gone. Synchronous; no requests.
import { isPodTerminal } from "@kubeloop/core/rules";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { nodeEvents, podEvents } from "../queue/cluster-event.ts";
import { eventLabel } from "../queue/event-label.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { Nominator } from "../snapshot/nominator.ts";
import { incomingPodInfo, type PodInfo } from "../snapshot/pod-info.ts";
import { Snapshot } from "../snapshot/snapshot.ts";

/** Upstream's names of what a change was. */
export type Handled = readonly string[];

export interface ClusterModelOptions {
  readonly queue: SchedulingQueue;
  /** Whether a scheduler of this process places the pod. */
  readonly isOurs: (pod: Pod) => boolean;
}

export class ClusterModel {
  readonly snapshot: Snapshot = new Snapshot();
  readonly nominator: Nominator = new Nominator();
  readonly #queue: SchedulingQueue;
  readonly #isOurs: (pod: Pod) => boolean;
  /** Pods that were decided on, by UID, until they are seen bound. */
  readonly #assumed = new Map<string, Pod>();

  constructor({ queue, isOurs }: ClusterModelOptions) {
    this.#queue = queue;
    this.#isOurs = isOurs;
  }

  /** The numbers of `scheduler_cache_size`. */
  get sizes(): { readonly assumed_pods: number; readonly pods: number; readonly nodes: number } {
    const { podCount, nodes } = this.snapshot;
    return { assumed_pods: this.#assumed.size, pods: podCount, nodes: nodes.length };
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** The pod counts as being on the node from now on. */
  assume(pod: Pod, nodeName: string): void {
    const assumed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
    this.#assumed.set(uidOf(pod), assumed);
    this.nominator.remove(uidOf(pod));
    this.snapshot.setPod(assumed);
  }

  /** The pod could not be bound: its place is free again, and others may want it. */
  forget(uid: string): void {
    const assumed = this.#assumed.get(uid);
    if (assumed === undefined) return;
    this.#assumed.delete(uid);
    this.snapshot.removePod(uid);
    this.#queue.wake({ on: "pod", change: "delete", before: assumed, after: undefined });
  }

  nodeAdded(node: Node): Handled {
    this.snapshot.setNode(node);
    this.#queue.wake({ on: "node", change: "add", before: undefined, after: node });
    return ["NodeAdd"];
  }

  nodeUpdated(before: Node, after: Node): Handled {
    this.snapshot.setNode(after);
    const events = nodeEvents(before, after);
    for (const event of events) this.#queue.wake(event);
    return events.map(eventLabel);
  }

  nodeDeleted(node: Node): Handled {
    this.snapshot.removeNode(node.metadata.name ?? "");
    this.#queue.wake({ on: "node", change: "delete", before: node, after: undefined });
    return ["NodeDelete"];
  }

  podAdded(pod: Pod): Handled {
    if (isPodTerminal(pod)) return [];
    if (isBound(pod)) {
      this.#placed(pod);
      return ["AssignedPodAdd"];
    }
    if (!this.#isOurs(pod)) return [];
    this.#nominateByStatus(pod);
    this.#queue.add(pod);
    return ["UnschedulablePodAdd"];
  }

  podUpdated(before: Pod, after: Pod): Handled {
    if (uidOf(before) !== uidOf(after)) return [...this.podDeleted(before), ...this.podAdded(after)];
    if (isPodTerminal(after)) return isPodTerminal(before) ? [] : this.podDeleted(before);
    if (!isBound(after)) return this.#pendingUpdated(before, after) ? ["UnschedulablePodUpdate"] : [];
    if (!isBound(before)) {
      this.#placed(after);
      return this.#isOurs(after) ? ["UnschedulablePodDelete", "AssignedPodAdd"] : ["AssignedPodAdd"];
    }
    this.snapshot.setPod(after);
    const events = podEvents(before, after);
    for (const event of events) this.#queue.wake(event);
    return ["AssignedPodUpdate", ...events.map(eventLabel).filter((label) => label !== "AssignedPodUpdate")];
  }

  podDeleted(pod: Pod): Handled {
    const uid = uidOf(pod);
    if (isPodTerminal(pod)) return [];
    if (isBound(pod) || this.#assumed.has(uid)) {
      this.#assumed.delete(uid);
      this.snapshot.removePod(uid);
      this.#queue.delete(uid);
      this.#queue.wake({ on: "pod", change: "delete", before: pod, after: undefined });
      return ["AssignedPodDelete"];
    }
    if (!this.#isOurs(pod)) return [];
    this.#queue.delete(uid);
    const nominatedNodeName = this.nominator.nodeOf(uid);
    this.nominator.remove(uid);
    if (nominatedNodeName !== undefined) this.#nominationEnded(pod, nominatedNodeName);
    return ["UnschedulablePodDelete"];
  }

  /** A pod has got its node: by us, who assumed it, or by somebody else. */
  #placed(pod: Pod): void {
    const uid = uidOf(pod);
    this.#assumed.delete(uid);
    this.nominator.remove(uid);
    this.#queue.delete(uid);
    this.snapshot.setPod(pod);
    this.#queue.wake({ on: "pod", change: "add", before: undefined, after: pod });
  }

  /** Returns whether the pod is one to be placed. */
  #pendingUpdated(before: Pod, after: Pod): boolean {
    const uid = uidOf(after);
    if (!this.#isOurs(after) || this.#assumed.has(uid)) return false;
    const nominated = this.nominator.nodeOf(uid);
    // A nomination of ours is kept until it is in the status.
    if (nominatedOf(before) !== "" || nominatedOf(after) !== "") this.#nominateByStatus(after);
    else if (nominated !== undefined) this.nominator.nominate(incomingPodInfo(after), nominated);
    if (nominated !== undefined && this.nominator.nodeOf(uid) !== nominated) this.#nominationEnded(before, nominated);
    this.#queue.update(before, after);
    return true;
  }

  #nominateByStatus(pod: Pod): void {
    const nodeName = nominatedOf(pod);
    if (nodeName === "") this.nominator.remove(uidOf(pod));
    else this.nominator.nominate(incomingPodInfo(pod), nodeName);
  }

  /** The place that was kept is free for those that it was kept from. */
  #nominationEnded(pod: Pod, nominatedNodeName: string): void {
    const before: Pod = { ...pod, status: { ...pod.status, nominatedNodeName } };
    const { priority } = incomingPodInfo(pod);
    const isLower = (waiting: PodInfo) => waiting.priority <= priority;
    this.#queue.wake({ on: "pod", change: "delete", before, after: undefined }, isLower);
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? "";
}

function isBound({ spec }: Pod): boolean {
  return (spec.nodeName ?? "") !== "";
}

function nominatedOf({ status }: Pod): string {
  return status?.nominatedNodeName ?? "";
}
