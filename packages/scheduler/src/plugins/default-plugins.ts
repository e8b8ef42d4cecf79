// The plugins of upstream's default profile that exist here, in upstream's order, with upstream's weights. The order decides which plugin names the
// reason if several would refuse a node. Not here yet: VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, DynamicResources and
// NodeDeclaredFeatures.
import type { Scoring } from "../framework/score-nodes.ts";
import { imageLocality } from "./image-locality.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesBalancedAllocation } from "./node-resources-balanced-allocation.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { taintToleration } from "./taint-toleration.ts";

export const defaultPlugins: readonly Scoring[] = [
  { plugin: nodeUnschedulable, weight: 1 },
  { plugin: nodeName, weight: 1 },
  { plugin: taintToleration, weight: 3 },
  { plugin: nodeAffinity, weight: 2 },
  { plugin: nodePorts, weight: 1 },
  { plugin: nodeResourcesFit, weight: 1 },
  { plugin: podTopologySpread, weight: 2 },
  { plugin: interPodAffinity, weight: 2 },
  { plugin: nodeResourcesBalancedAllocation, weight: 1 },
  { plugin: imageLocality, weight: 1 },
];
