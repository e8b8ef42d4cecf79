// How the CPUs of the cluster's nodes are spread over its zones: the share of the traffic that each zone is expected to make.
//
// Counted are nodes that are ready and not of the control plane. If one of them has no zone or no allocatable CPU, or if there is one zone only,
// the shares are not known, and no Service gets topology-aware hints.
import { type corev1, isConditionTrue, quantityMilliValue } from "@kubeloop/core/api";

export type ZoneRatios = ReadonlyMap<string, number>;

const zoneLabel = "topology.kubernetes.io/zone";
const controlPlaneLabels = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** Undefined if it has none. */
export const zoneOf = ({ metadata }: corev1.Node) => metadata.labels?.[zoneLabel] || undefined;

/** What a node counts: nothing, a zone's CPU, or that too little is known of it. */
type NodeShare = { readonly zone: string; readonly cpuMilli: number } | "unknown" | undefined;

export class Zones {
  readonly #nodes = new Map<string, NodeShare>();
  readonly #cpuMilli = new Map<string, number>();
  #unknown = 0;
  #total = 0;
  #hasSeenNodes = false;

  /** Whether there ever was a node. Upstream tells the two cases apart in its events. */
  get hasSeenNodes(): boolean {
    return this.#hasSeenNodes;
  }

  /** Undefined if they are not known. */
  get ratios(): ZoneRatios | undefined {
    if (this.#unknown > 0 || this.#cpuMilli.size < 2 || this.#total === 0) return undefined;
    return new Map(
      [...this.#cpuMilli].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / this.#total]),
    );
  }

  /** Returns whether the shares may be other ones now. */
  set(node: corev1.Node): boolean {
    this.#hasSeenNodes = true;
    return this.#replace(node.metadata.name ?? "", shareOf(node));
  }

  forget(node: corev1.Node): boolean {
    return this.#replace(node.metadata.name ?? "", undefined);
  }

  #replace(name: string, share: NodeShare): boolean {
    const before = this.#nodes.get(name);
    this.#count(before, -1);
    this.#count(share, 1);
    if (share === undefined) this.#nodes.delete(name);
    else this.#nodes.set(name, share);
    return JSON.stringify(before) !== JSON.stringify(share);
  }

  #count(share: NodeShare, by: 1 | -1): void {
    if (share === undefined) return;
    if (share === "unknown") {
      this.#unknown += by;
      return;
    }
    this.#total += by * share.cpuMilli;
    const cpu = (this.#cpuMilli.get(share.zone) ?? 0) + by * share.cpuMilli;
    if (cpu > 0) this.#cpuMilli.set(share.zone, cpu);
    else this.#cpuMilli.delete(share.zone);
  }
}

function shareOf(node: corev1.Node): NodeShare {
  const { labels = {} } = node.metadata;
  if (controlPlaneLabels.some((label) => Object.hasOwn(labels, label))) return undefined;
  if (!isConditionTrue(node.status?.conditions, "Ready")) return undefined;
  const zone = zoneOf(node);
  const cpuMilli = Number(quantityMilliValue(node.status?.allocatable?.["cpu"] ?? "0"));
  return zone === undefined || cpuMilli === 0 ? "unknown" : { zone, cpuMilli };
}
