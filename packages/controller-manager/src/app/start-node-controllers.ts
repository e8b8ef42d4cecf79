// Starts the controllers of nodes. They share a service account, node-controller.
import {
  networksOf,
  newNodeIpamController,
  newNodeLifecycleController,
  newTaintEvictionController,
} from "@kubeloop/controllers";
import { nodes } from "@kubeloop/core/resources";
import type { InitFunc } from "./controller-descriptors.ts";
import { checkNodeNetworks, nodeCidrRanges } from "./node-cidr-ranges.ts";
import { runController } from "./run-controller.ts";

export const startNodeLifecycleController: InitFunc = async (context, descriptor) => {
  const { nodeLifecycleController, kubeCloudShared } = context.componentConfig;
  const controller = newNodeLifecycleController({
    monitorEveryMs: kubeCloudShared.nodeMonitorPeriodMs,
    monitorGraceMs: nodeLifecycleController.nodeMonitorGracePeriodMs,
    startupGraceMs: nodeLifecycleController.nodeStartupGracePeriodMs,
    evictionRate: nodeLifecycleController.nodeEvictionRate,
    secondaryEvictionRate: nodeLifecycleController.secondaryNodeEvictionRate,
    largeClusterThreshold: nodeLifecycleController.largeClusterSizeThreshold,
    unhealthyZoneThreshold: nodeLifecycleController.unhealthyZoneThreshold,
  });
  return runController(context, descriptor, controller, { eventSource: "node-controller" });
};

export const startTaintEvictionController: InitFunc = async (context, descriptor) => {
  const comparisonOperators = context.featureGates.isEnabled("TaintTolerationComparisonOperators");
  return runController(context, descriptor, newTaintEvictionController({ comparisonOperators }));
};

/** Declines unless networks are to be allocated. Throws for flags and nodes that do not fit, as upstream, whose manager ends then. */
export const startNodeIpamController: InitFunc = async (context, descriptor) => {
  const { componentConfig, informerClient, log, signal } = context;
  if (!componentConfig.kubeCloudShared.allocateNodeCIDRs) return { isStarted: false };
  const { ranges, services, unparsed } = nodeCidrRanges(componentConfig);
  for (const cidr of unparsed) log.warn("Networks of Services that are no network do not count", { cidr });
  const controller = newNodeIpamController({ ranges, services });
  const found: { readonly name: string; readonly networks: ReturnType<typeof networksOf> }[] = [];
  for await (const node of informerClient.resource(nodes).list({}, signal)) {
    found.push({ name: node.metadata.name ?? "", networks: networksOf(node) });
  }
  checkNodeNetworks(found, ranges);
  return runController(context, descriptor, controller, { eventSource: "cidrAllocator" });
};
