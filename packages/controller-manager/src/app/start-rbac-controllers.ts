// Starts the controllers of the API group rbac.authorization.k8s.io.
import { newClusterRoleAggregationController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startClusterRoleAggregationController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newClusterRoleAggregationController());
