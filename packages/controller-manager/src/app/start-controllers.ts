// Builds the controllers that are wanted: the service account token controller first, because others need the tokens it makes, then the rest.
//
// Promises: one that is disabled is warned about ("is disabled"), one that declines is skipped ("Skipping"), those that are not written yet are
// named in one line. One that throws is named, and ends the process. Nothing runs before all are built.
import { toError } from "@kubeloop/core/base";
import type { HealthChecks } from "@kubeloop/core/runtime";
import type { ControllerContext } from "./controller-context.ts";
import type { ControllerDescriptor, StartResult } from "./controller-descriptors.ts";

export const tokenController = "serviceaccount-token-controller";

export interface StartedController {
  readonly descriptor: ControllerDescriptor;
  readonly result: StartResult & { readonly isStarted: true };
}

export async function startControllers(
  context: ControllerContext,
  descriptors: readonly ControllerDescriptor[],
  healthz: HealthChecks,
): Promise<readonly StartedController[]> {
  const { log } = context;
  const enabled = descriptors.filter((descriptor) => {
    if (context.isControllerEnabled(descriptor)) return true;
    log.info("Warning: controller is disabled", { controller: descriptor.name });
    return false;
  });
  const unwritten = enabled.filter(({ start }) => start === undefined).map(({ name }) => name);
  if (unwritten.length > 0) log.warn("Controllers that are not written yet do not run", { controllers: unwritten });
  const inOrder = enabled.toSorted((a, b) => Number(b.name === tokenController) - Number(a.name === tokenController));
  const started: StartedController[] = [];
  for (const descriptor of inOrder) {
    if (descriptor.start === undefined) continue;
    const missing = (descriptor.featureGates ?? []).filter((gate) => !context.featureGates.isEnabled(gate));
    if (missing.length > 0) {
      log.info("Controller is disabled by a feature gate", {
        controller: descriptor.name,
        requiredFeatureGates: missing,
      });
      continue;
    }
    log.debug("Starting controller", { controller: descriptor.name });
    const result = await descriptor.start(context, descriptor).catch((error: unknown) => {
      // The error may not say which one it was.
      log.error("Error initializing a controller", { controller: descriptor.name, error: toError(error) });
      throw error;
    });
    if (!result.isStarted) {
      log.info("Warning: skipping controller", { controller: descriptor.name });
      continue;
    }
    healthz.add(descriptor.name, () => result.findFault?.());
    log.info("Started controller", { controller: descriptor.name });
    started.push({ descriptor, result });
  }
  return started;
}
