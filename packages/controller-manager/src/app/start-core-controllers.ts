// Starts the controllers of the core API group.
import { newNamespaceController, newPodGarbageCollector } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startNamespaceController: InitFunc = async (context, descriptor) => {
  const { concurrentNamespaceSyncs, namespaceSyncPeriodMs } = context.componentConfig.namespaceController;
  const controller = newNamespaceController({ workers: concurrentNamespaceSyncs, resyncMs: namespaceSyncPeriodMs });
  return runController(context, descriptor, controller);
};

export const startPodGarbageCollectorController: InitFunc = async (context, descriptor) => {
  const { terminatedPodGCThreshold } = context.componentConfig.podGCController;
  return runController(context, descriptor, newPodGarbageCollector({ terminatedThreshold: terminatedPodGCThreshold }));
};
