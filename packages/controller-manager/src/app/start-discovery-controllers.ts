// Starts the controllers of the API group discovery.k8s.io.
import { newEndpointSliceController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startEndpointSliceController: InitFunc = async (context, descriptor) => {
  const { componentConfig, featureGates } = context;
  const { concurrentServiceEndpointSyncs, maxEndpointsPerSlice, endpointUpdatesBatchPeriodMs } =
    componentConfig.endpointSliceController;
  const controller = newEndpointSliceController({
    workers: concurrentServiceEndpointSyncs,
    maxEndpointsPerSlice,
    batchMs: endpointUpdatesBatchPeriodMs,
    knowsPreferSame: featureGates.isEnabled("PreferSameTrafficDistribution"),
  });
  return runController(context, descriptor, controller, { eventSource: "endpoint-slice-controller" });
};
