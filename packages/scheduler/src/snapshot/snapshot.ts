// The nodes and the pods on them, as a cycle sees them. Changes between cycles cost as much as what changed; lists over all nodes are made anew
// only after a node came or went. A cycle is synchronous, so it sees one state without a copy.
//
// Pods on a node that is not known (yet, or any more) are kept aside and counted when the node comes.
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { NodeInfo } from "./node-info.ts";
import { NodeTree } from "./node-tree.ts";
import { boundPodInfo, type PodInfo } from "./pod-info.ts";

export interface ImageState {
  /** In bytes, as the first node with this image reported it. */
  readonly size: number;
  readonly nodes: ReadonlySet<string>;
}

export class Snapshot {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #tree = new NodeTree();
  #list: readonly NodeInfo[] | undefined;
  readonly #nodesWithAffinity = new Set<NodeInfo>();
  readonly #nodesWithRequiredAntiAffinity = new Set<NodeInfo>();
  readonly #nodesWithClaims = new Set<NodeInfo>();
  readonly #images = new Map<string, { readonly size: number; readonly nodes: Set<string> }>();
  /** The node name of each pod, by UID. */
  readonly #nodeNames = new Map<string, string>();
  /** Pods on unknown nodes, by node name and UID. */
  readonly #aside = new Map<string, Map<string, PodInfo>>();

  /** All nodes in the order of the search. As upstream, a node whose zone changes keeps its position until a node comes or goes. */
  get nodes(): readonly NodeInfo[] {
    this.#list ??= this.#tree.list().flatMap((name) => this.#nodes.get(name) ?? []);
    return this.#list;
  }

  /** All pods, also those on nodes that are not known. */
  get podCount(): number {
    return this.#nodeNames.size;
  }

  get(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  get nodesWithAffinity(): Iterable<NodeInfo> {
    return this.#nodesWithAffinity;
  }

  get nodesWithRequiredAntiAffinity(): Iterable<NodeInfo> {
    return this.#nodesWithRequiredAntiAffinity;
  }

  /** Whether any pod on a node uses the claim, named as `namespace/name`. */
  isClaimUsed(key: string): boolean {
    for (const node of this.#nodesWithClaims) if (node.usesClaim(key)) return true;
    return false;
  }

  image(name: string): ImageState | undefined {
    return this.#images.get(name);
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? "";
    const known = this.#nodes.get(name);
    if (known !== undefined) {
      this.#tree.update(known.node, node);
      if (known.node.status?.images !== node.status?.images) {
        this.#removeImages(known.node);
        this.#addImages(node);
      }
      known.setNode(node);
      return;
    }
    const nodeInfo = new NodeInfo(node);
    this.#nodes.set(name, nodeInfo);
    this.#tree.add(node);
    this.#list = undefined;
    this.#addImages(node);
    for (const podInfo of this.#aside.get(name)?.values() ?? []) nodeInfo.addPod(podInfo);
    this.#aside.delete(name);
    this.#relist(nodeInfo);
  }

  removeNode(name: string): void {
    const nodeInfo = this.#nodes.get(name);
    if (nodeInfo === undefined) return;
    this.#nodes.delete(name);
    this.#tree.remove(nodeInfo.node);
    this.#list = undefined;
    this.#removeImages(nodeInfo.node);
    this.#nodesWithAffinity.delete(nodeInfo);
    this.#nodesWithRequiredAntiAffinity.delete(nodeInfo);
    this.#nodesWithClaims.delete(nodeInfo);
    if (nodeInfo.podCount > 0) {
      this.#aside.set(name, new Map([...nodeInfo.pods].map((podInfo) => [podInfo.uid, podInfo])));
    }
  }

  /** Adds or replaces a pod on the node that its spec names. */
  setPod(pod: Pod): void {
    const podInfo = boundPodInfo(pod);
    const name = pod.spec.nodeName ?? "";
    const before = this.#nodeNames.get(podInfo.uid);
    if (before !== undefined && before !== name) this.removePod(podInfo.uid);
    this.#nodeNames.set(podInfo.uid, name);
    const nodeInfo = this.#nodes.get(name);
    if (nodeInfo === undefined) {
      const aside = this.#aside.get(name) ?? new Map<string, PodInfo>();
      this.#aside.set(name, aside.set(podInfo.uid, podInfo));
      return;
    }
    nodeInfo.addPod(podInfo);
    this.#relist(nodeInfo);
  }

  removePod(uid: string): void {
    const name = this.#nodeNames.get(uid);
    if (name === undefined) return;
    this.#nodeNames.delete(uid);
    const aside = this.#aside.get(name);
    aside?.delete(uid);
    if (aside?.size === 0) this.#aside.delete(name);
    const nodeInfo = this.#nodes.get(name);
    nodeInfo?.removePod(uid);
    if (nodeInfo !== undefined) this.#relist(nodeInfo);
  }

  #relist(nodeInfo: NodeInfo): void {
    if (nodeInfo.hasPodsWithAffinity) this.#nodesWithAffinity.add(nodeInfo);
    else this.#nodesWithAffinity.delete(nodeInfo);
    if (nodeInfo.hasPodsWithRequiredAntiAffinity) this.#nodesWithRequiredAntiAffinity.add(nodeInfo);
    else this.#nodesWithRequiredAntiAffinity.delete(nodeInfo);
    if (nodeInfo.hasPodsWithClaims) this.#nodesWithClaims.add(nodeInfo);
    else this.#nodesWithClaims.delete(nodeInfo);
  }

  #addImages(node: Node): void {
    for (const { names = [], sizeBytes = 0 } of node.status?.images ?? []) {
      for (const name of names) {
        const image = this.#images.get(name) ?? { size: sizeBytes, nodes: new Set<string>() };
        image.nodes.add(node.metadata.name ?? "");
        this.#images.set(name, image);
      }
    }
  }

  #removeImages(node: Node): void {
    for (const { names = [] } of node.status?.images ?? []) {
      for (const name of names) {
        const image = this.#images.get(name);
        image?.nodes.delete(node.metadata.name ?? "");
        if (image?.nodes.size === 0) this.#images.delete(name);
      }
    }
  }
}
