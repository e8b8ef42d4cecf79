// The plugins of upstream's default profile that exist here, in upstream's order, with upstream's weights. The order decides which plugin names the
// reason if several would refuse a node. Not here yet: DynamicResources.
import type { Scoring } from "../framework/score-nodes.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources-balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { taintToleration } from "./taint-toleration.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

export const defaultPlugins: readonly Scoring[] = [
  { plugin: nodeUnschedulable, weight: 1 },
  { plugin: nodeName, weight: 1 },
  { plugin: taintToleration, weight: 3 },
  { plugin: nodeAffinity, weight: 2 },
  { plugin: nodePorts, weight: 1 },
  { plugin: nodeResourcesFit, weight: 1 },
  { plugin: volumeRestrictions, weight: 1 },
  { plugin: nodeVolumeLimits, weight: 1 },
  { plugin: volumeBinding, weight: 1 },
  { plugin: volumeZone, weight: 1 },
  { plugin: podTopologySpread, weight: 2 },
  { plugin: interPodAffinity, weight: 2 },
  { plugin: nodeResourcesBalancedAllocation, weight: 1 },
  { plugin: imageLocality, weight: 1 },
  { plugin: nodeDeclaredFeatures, weight: 1 },
];
