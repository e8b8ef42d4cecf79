// Which pods are nominated to which node: those that wait for their victims to go, and those whose `status.nominatedNodeName` says so. Space on a
// node is kept free for them against pods of the same or lower priority.
import type { PodInfo } from "./pod-info.ts";

export class Nominator {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeNames = new Map<string, string>();

  on(nodeName: string): Iterable<PodInfo> {
    return this.#byNode.get(nodeName)?.values() ?? [];
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeNames.get(uid);
  }

  /** Replaces the pod's earlier nomination. */
  nominate(pod: PodInfo, nodeName: string): void {
    this.remove(pod.uid);
    const pods = this.#byNode.get(nodeName) ?? new Map<string, PodInfo>();
    this.#byNode.set(nodeName, pods.set(pod.uid, pod));
    this.#nodeNames.set(pod.uid, nodeName);
  }

  remove(uid: string): void {
    const nodeName = this.#nodeNames.get(uid);
    if (nodeName === undefined) return;
    this.#nodeNames.delete(uid);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }
}
