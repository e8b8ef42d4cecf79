// The process: command, configuration, context, the table of controllers, the run.
export { type ControllerManagerCommand, newControllerManagerCommand } from "./command.ts";
export type { CommandWorld } from "./component-command.ts";
export { type CompletedConfig, type Config, complete } from "./config.ts";
export { type ControllerContext, createControllerContext, type LoopMode } from "./controller-context.ts";
export {
  type ControllerDescriptor,
  controllerDescriptors,
  controllersDisabledByDefault,
  type InitFunc,
  knownControllers,
  newControllerInitializers,
  type StartResult,
} from "./controller-descriptors.ts";
export { printControllersPage } from "./controllers-page.ts";
export { printRbacManifests, type RbacManifest, rbacManifests } from "./rbac-manifests.ts";
export { LostLeaseError, run } from "./run.ts";
export { startControllers } from "./start-controllers.ts";
