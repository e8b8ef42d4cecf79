// The manager's metrics: Kubernetes' rules for them, and what the process measures about itself and its callers.
export { KubeMetrics, type KubeMetricsOptions, type PrintedMetrics, type RegisteredMetric } from "./kube-metrics.ts";
export { type LabelAllowLists, readLabelAllowLists } from "./label-allow-lists.ts";
export { type ManagerFacts, openManagerMetrics, runningControllers } from "./manager-metrics.ts";
export {
  type AuthorizationMetrics,
  type ServingMetrics,
  servingMetrics,
} from "./serving-metrics.ts";
