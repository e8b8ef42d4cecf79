// Starts the controllers of the core API group.
import { newRootCaCertificatePublisher, newServiceAccountController, newTtlController } from "@kubeloop/controllers";
import type { InitFunc } from "./controller-descriptors.ts";
import { readRootCa } from "./root-ca.ts";
import { runController } from "./run-controller.ts";

export const startServiceAccountController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newServiceAccountController());

export const startRootCaCertificatePublisher: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newRootCaCertificatePublisher({ rootCa: await readRootCa(context) }));

export const startTtlController: InitFunc = async (context, descriptor) =>
  runController(context, descriptor, newTtlController());
