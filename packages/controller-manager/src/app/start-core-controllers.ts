// Starts the controllers of the core API group.
import { newServiceAccountController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startServiceAccountController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newServiceAccountController());
