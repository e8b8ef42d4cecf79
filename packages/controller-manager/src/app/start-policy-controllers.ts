// Starts the controllers of the API group policy.
import { newDisruptionController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { runController } from "./run-controller.ts";

export const startDisruptionController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newDisruptionController(), { eventSource: "controllermanager" });
