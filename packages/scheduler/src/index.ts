// `@kubeloop/scheduler`: decides where pods run, as upstream's kube-scheduler 1.36 does with `parallelism: 1`: the same node, the same message.
// `Scheduler` is the part of a process that does so for a cluster. What it decides with is pure and can be used alone: `schedulePod` takes a pod and a
// `Snapshot` and returns a verdict; `SchedulingQueue` says which pod is next. Devices are not here yet; README.md lists what is missing.
export { SchedulerConfigurationError } from "./config/configuration-error.ts";
export type {
  ExtenderDocument,
  ExtensionPointName,
  PluginConfig,
  PluginEntry,
  PluginSet,
  PluginSets,
  ProfileDocument,
  SchedulerDocument,
} from "./config/document-shape.ts";
export { decodeSchedulerConfiguration, type SchedulerConfiguration } from "./config/scheduler-configuration.ts";
export { LostLeaseError, type RunAsLeaderOptions, runAsLeader } from "./driver/run-as-leader.ts";
export { defaultProfile, type Profile, Scheduler, type SchedulerOptions } from "./driver/scheduler.ts";
export type { CycleObserver, CyclePoint, Meter, PluginStatus } from "./framework/cycle-observer.ts";
export { Diagnosis, printDiagnosis } from "./framework/diagnosis.ts";
export { type Listers, noListers } from "./framework/listers.ts";
export {
  type Cycle,
  type NodeFilter,
  type NodeScorer,
  type Plugin,
  PluginError,
  type PreFilterResult,
  type Refusal,
  type RefusalCode,
} from "./framework/plugin.ts";
export type { Scoring } from "./framework/score-nodes.ts";
export type { VolumeBinding, VolumesToBind } from "./framework/volumes-to-bind.ts";
export { defaultPlugins } from "./plugins/default-plugins.ts";
export type { PreemptionArguments } from "./preemption/preempt.ts";
export type { Candidate } from "./preemption/select-victims.ts";
export type { ClusterEvent, NodeChange, PodChange, StorageEvent, StorageObjects } from "./queue/cluster-event.ts";
export {
  type FailedAttempt,
  type QueuedPod,
  type QueueOptions,
  type QueuePlace,
  SchedulingQueue,
} from "./queue/scheduling-queue.ts";
export { type PostFilter, type ScheduleOptions, schedulePod, type Verdict } from "./schedule.ts";
export type { AffinityTerm, WeightedAffinityTerm } from "./snapshot/affinity-term.ts";
export type { HostPorts } from "./snapshot/host-ports.ts";
export { NodeInfo } from "./snapshot/node-info.ts";
export { Nominator } from "./snapshot/nominator.ts";
export { boundPodInfo, incomingPodInfo, type PodInfo } from "./snapshot/pod-info.ts";
export type { Allocatable, NonZeroRequests, Resources } from "./snapshot/resources.ts";
export { type ImageState, Snapshot } from "./snapshot/snapshot.ts";
