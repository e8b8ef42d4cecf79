// Starts the controllers of the API group discovery.k8s.io.
import { newEndpointSliceController, newEndpointSliceMirroringController } from "@kubeloop/controllers";
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

export const startEndpointSliceMirroringController: InitFunc = async (context, descriptor) => {
  const {
    mirroringConcurrentServiceEndpointSyncs,
    mirroringMaxEndpointsPerSubset,
    mirroringEndpointUpdatesBatchPeriodMs,
  } = context.componentConfig.endpointSliceMirroringController;
  const controller = newEndpointSliceMirroringController({
    workers: mirroringConcurrentServiceEndpointSyncs,
    maxEndpointsPerSubset: mirroringMaxEndpointsPerSubset,
    batchMs: mirroringEndpointUpdatesBatchPeriodMs,
  });
  return runController(context, descriptor, controller, { eventSource: "endpoint-slice-mirroring-controller" });
};
