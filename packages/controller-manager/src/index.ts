// `@kubeloop/controller-manager`: kube-controller-manager's process: flags, wiring, start order, endpoints, leader election. Start with
// app/run.ts; app/controller-descriptors.ts is the table of controllers; options/ has the flags.
export {
  type CommandWorld,
  type CompletedConfig,
  type Config,
  type ControllerContext,
  type ControllerDescriptor,
  type ControllerManagerCommand,
  complete,
  controllerDescriptors,
  controllersDisabledByDefault,
  createControllerContext,
  type InitFunc,
  knownControllers,
  type LoopMode,
  LostLeaseError,
  newControllerInitializers,
  newControllerManagerCommand,
  printControllersPage,
  printRbacManifests,
  type RbacManifest,
  rbacManifests,
  run,
  type StartResult,
  startControllers,
} from "./app/index.ts";
export { FlagError } from "./flags/index.ts";
export {
  type ComponentConfig,
  joinFaults,
  type KubeControllerManagerOptions,
  parseOptions,
  validateOptions,
} from "./options/index.ts";
export { type ControllerSelection, selectControllers } from "./select-controllers.ts";
