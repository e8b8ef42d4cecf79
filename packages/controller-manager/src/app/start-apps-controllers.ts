// Starts the controllers of the API group apps.
import { newDeploymentController, newReplicaSetController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startDeploymentController: InitFunc = async (context, descriptor) => {
  const { componentConfig, featureGates } = context;
  const controller = newDeploymentController({
    workers: componentConfig.deploymentController.concurrentDeploymentSyncs,
    countsTerminating: featureGates.isEnabled("DeploymentReplicaSetTerminatingReplicas"),
  });
  return runController(context, descriptor, controller);
};

export const startReplicaSetController: InitFunc = async (context, descriptor) => {
  const { componentConfig, featureGates } = context;
  const controller = newReplicaSetController({
    workers: componentConfig.replicaSetController.concurrentRSSyncs,
    countsTerminating: featureGates.isEnabled("DeploymentReplicaSetTerminatingReplicas"),
    usesDeletionCost: featureGates.isEnabled("PodDeletionCost"),
  });
  return runController(context, descriptor, controller);
};
