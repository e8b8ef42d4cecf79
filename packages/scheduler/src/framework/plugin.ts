// What a scheduling plugin is. A plugin filters (which nodes can take the pod), scores (which of them is best), or both. Upstream's PreFilter and
// PreScore are the functions here; what they compute for the cycle is kept in the filter or scorer that they return. Everything is synchronous and
// reads nothing but its arguments.
import { KubeloopError } from "@kubeloop/core/base";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { Listers } from "./listers.ts";
import type { VolumesToBind } from "./volumes-to-bind.ts";

/** `Unschedulable`: removing pods may help. `UnschedulableAndUnresolvable`: it cannot. */
export type RefusalCode = "Unschedulable" | "UnschedulableAndUnresolvable";

/** Why a node, or in PreFilter every node, cannot take the pod. Reasons are upstream's texts; each is counted on its own. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** A plugin cannot tell. The attempt ends at once, for all nodes, and is repeated with backoff. The message is what the pod's condition says. */
export class PluginError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "Plugin" });
  }
}

/** One attempt to place one pod. */
export interface Cycle {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  readonly listers: Listers;
}

/** Answers for one node at a time. Filters that count over other pods implement the last three, because nominated pods and victims change counts. */
export interface NodeFilter {
  filter(node: NodeInfo): Refusal | undefined;
  addPod?(pod: PodInfo, node: NodeInfo): void;
  removePod?(pod: PodInfo, node: NodeInfo): void;
  clone?(): NodeFilter;
}

export type PreFilterResult =
  | { readonly refusal: Refusal }
  | {
      readonly filter: NodeFilter;
      /** If given, only these nodes are looked at. */
      readonly nodeNames?: ReadonlySet<string>;
    };

export interface NodeScorer {
  /** Returns an integer. Without `normalize` it is between 0 and 100. */
  score(node: NodeInfo): number;
  /** Brings the scores of all feasible nodes to integers between 0 and 100, in place. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void;
}

export interface Plugin {
  readonly name: string;
  /** Undefined if this pod is none of the plugin's business: upstream's Skip. */
  preFilter?(cycle: Cycle): PreFilterResult | undefined;
  /** Undefined if the plugin has no preference for this pod: upstream's Skip. `nodes` are the feasible ones. */
  preScore?(cycle: Cycle, nodes: readonly NodeInfo[]): NodeScorer | undefined;
  /** What must be bound before the pod can be, on the node that was chosen. Undefined: nothing. */
  reserve?(cycle: Cycle, node: NodeInfo): VolumesToBind | undefined;
}

export const maxNodeScore = 100;

/** Scales the scores so that the largest is 100; with `reverse`, so that the smallest is. If all are 0 they stay 0, or with `reverse` become 100. */
export function normalizeByMax(scores: number[], { reverse = false }: { readonly reverse?: boolean } = {}): void {
  let max = 0;
  for (const score of scores) max = Math.max(max, score);
  for (const [index, score] of scores.entries()) {
    const scaled = max === 0 ? score : Math.trunc((maxNodeScore * score) / max);
    scores[index] = reverse ? maxNodeScore - scaled : scaled;
  }
}
