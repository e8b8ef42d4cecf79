// The options of kube-controller-manager: flags by group, what they default to, what is wrong with them, and the configuration they make.
export { configzName, toConfigz } from "./configz.ts";
export { binaryVersion, type FeatureGate, FeatureGates, readFeatureGates, readVersions } from "./feature-gates.ts";
export { type ComponentConfig, flagGroups, type KubeControllerManagerOptions, parseOptions } from "./options.ts";
export { findAllowListFault, gateOptions, joinFaults, validateOptions } from "./validate-options.ts";
