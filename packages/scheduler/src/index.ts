// `@kubeloop/scheduler`: decides where pods run, as upstream's kube-scheduler 1.36 does with `parallelism: 1`: the same node, the same message. So far
// it is the pure part: `schedulePod` takes a pod and a `Snapshot` and returns a verdict. Queue, binding and the rest of the process are not here yet, nor
// are volumes and devices; README.md lists what is missing.
export { Diagnosis, printDiagnosis } from "./framework/diagnosis.ts";
export { type Listers, noListers } from "./framework/listers.ts";
export type {
  Cycle,
  NodeFilter,
  NodeScorer,
  Plugin,
  PreFilterResult,
  Refusal,
  RefusalCode,
} from "./framework/plugin.ts";
export type { Scoring } from "./framework/score-nodes.ts";
export { defaultPlugins } from "./plugins/default-plugins.ts";
export type { Candidate } from "./preemption/select-victims.ts";
export { type ScheduleOptions, schedulePod, type Verdict } from "./schedule.ts";
export type { AffinityTerm, WeightedAffinityTerm } from "./snapshot/affinity-term.ts";
export type { HostPorts } from "./snapshot/host-ports.ts";
export { NodeInfo } from "./snapshot/node-info.ts";
export { Nominator } from "./snapshot/nominator.ts";
export { boundPodInfo, incomingPodInfo, type PodInfo } from "./snapshot/pod-info.ts";
export type { Allocatable, NonZeroRequests, Resources } from "./snapshot/resources.ts";
export { type ImageState, Snapshot } from "./snapshot/snapshot.ts";
