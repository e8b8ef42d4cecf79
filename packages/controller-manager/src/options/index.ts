// The options of kube-controller-manager: flags by group, what they default to, what is wrong with them, and the configuration they make.
export { configzName, toConfigz } from "./configz.ts";
export { binaryVersion, type FeatureGate, FeatureGates, readFeatureGates, readVersions } from "./feature-gates.ts";
export { componentGlobals } from "./generic-options.ts";
export { global, logs, metrics } from "./observability-options.ts";
export {
  type ComponentConfig,
  type ComponentOptions,
  flagGroups,
  flagsOf,
  type KubeControllerManagerOptions,
  parseOptions,
} from "./options.ts";
export { authentication, authorization, secureServing } from "./serving-options.ts";
export { findAllowListFault, gateOptions, joinFaults, validateComponent, validateOptions } from "./validate-options.ts";
