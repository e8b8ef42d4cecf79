// What a plugin says about events: whether one may make a pod schedulable that the plugin refused. A plugin without an answer for a kind of event is not
// interested in it.
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { ClusterEvent, StorageEvent } from "./cluster-event.ts";

export type NodeEvent = Extract<ClusterEvent, { readonly on: "node" }>;
export type PodEvent = Extract<ClusterEvent, { readonly on: "pod" }>;

export interface PluginHints {
  readonly node?: (pod: PodInfo, event: NodeEvent) => boolean;
  readonly pod?: (pod: PodInfo, event: PodEvent) => boolean;
  readonly storage?: (pod: PodInfo, event: StorageEvent) => boolean;
}
