// `rules`: pure functions about Kubernetes objects that the API server, the controllers and the scheduler share, so that all of
// them count, match and decide in the same way. Objects and the time are arguments; nothing here reads a clock, a cache or
// a network, and no argument is changed. Not here: rules that only one controller needs; they are in that controller's folder.
export { canonicalIp, type IpAddress, isIpv4Mapped, parseIp, printIp } from "./ip-address.ts";
export {
  matchesNodeAffinity,
  matchesNodeSelector,
  matchesNodeSelectorTerm,
  nodeAffinityScore,
} from "./node-affinity.ts";
export { computeQosClass, podQosClass, type QosClass } from "./pod-qos.ts";
export {
  hasPodLevelResources,
  type PodResourceOptions,
  podLimits,
  podRequests,
  type ResourcePod,
} from "./pod-resources.ts";
export {
  isStricterPodSecurity,
  type PodSecurityLabelFault,
  type PodSecurityLevel,
  type PodSecurityPolicy,
  type PodSecurityStandard,
  podSecurityLevels,
  podSecurityPolicyOf,
  podSecurityViolations,
  printPodSecurityStandard,
  printPodSecurityViolations,
} from "./pod-security.ts";
export type { CheckedPod, PodSecurityViolation } from "./pod-security-checks.ts";
export {
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podAvailableAtMs,
  podDeletionCost,
  podDeletionCostAnnotation,
  podPriority,
} from "./pods.ts";
export {
  type DeviceClasses,
  deviceClaimUsage,
  deviceQuotaResources,
  isClaimOfPod,
  podOfExtendedClaim,
} from "./quota-devices.ts";
export {
  matchesAllScopes,
  type QuotaContext,
  type QuotaEvaluator,
  type QuotaTerms,
  type QuotaWrite,
  quotaEvaluatorOf,
  sumQuotaUsage,
} from "./quota-evaluators.ts";
export { matchesClaimQuotaScope, matchesQuotaScope, matchesQuotaScopes, quotaScopes } from "./quota-scopes.ts";
export {
  claimUsage,
  countResourceName,
  findMissingResources,
  isExtendedQuotaResource,
  objectCountUsage,
  podQuotaResources,
  podUsage,
  serviceUsage,
} from "./quota-usage.ts";
export {
  addAmounts,
  amountsFit,
  equalAmounts,
  exceededResources,
  maxAmounts,
  minAmounts,
  negativeResources,
  noAmounts,
  pickAmounts,
  printAmounts,
  type ResourceAmounts,
  type ResourceList,
  subtractAmounts,
  subtractToZero,
  toAmounts,
  withoutZeros,
} from "./resource-amounts.ts";
export {
  findUntoleratedTaint,
  isTaintTolerated,
  matchingTolerations,
  minTolerationSeconds,
  type TaintOptions,
  toleratesTaint,
  type UntoleratedOptions,
} from "./taints.ts";
