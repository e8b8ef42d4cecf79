// Starts the controllers of nodes. They share a service account, node-controller.
import { newNodeLifecycleController, newTaintEvictionController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
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
