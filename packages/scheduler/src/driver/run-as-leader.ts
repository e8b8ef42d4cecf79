// Runs a scheduler only while this process holds the lease of kube-scheduler, so that one of several replicas places pods. The names and times are upstream's,
// so that a cluster may change from upstream's scheduler to this one and back.
import {
  type Clock,
  defaultLog,
  KubeloopError,
  type Log,
  type Metrics,
  noMetrics,
  type Random,
  systemClock,
  systemRandom,
  TaskScope,
} from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { type ElectionTimings, electionMetrics, LeaderElector, LeaseLock } from "@kubeloop/core/election";
import { coreEventSink, EventBroadcaster } from "@kubeloop/core/events";

export interface RunAsLeaderOptions extends Partial<ElectionTimings> {
  readonly client: Client;
  /** Unique among all replicas. Upstream's is `<host name>_<UUID>`. */
  readonly identity: string;
  /** Default: `kube-system`. */
  readonly resourceNamespace?: string;
  /** Default: `kube-scheduler`. */
  readonly resourceName?: string;
  /** Called once, with what tells whether this replica leads although it could not renew its lease for so long. Undefined: nothing is wrong. */
  readonly onElector?: (elector: Pick<LeaderElector, "findFault">) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly metrics?: Metrics;
}

/** Another replica may be placing pods by now: the process must end. */
export class LostLeaseError extends KubeloopError {
  constructor(message: string) {
    super(message, { reason: "LostLease", retry: "never" });
  }
}

/** Ends when the signal aborts. Throws a LostLeaseError if the lease was lost, and what the scheduler throws. */
export async function runAsLeader(
  scheduler: { run(signal: AbortSignal): Promise<void> },
  options: RunAsLeaderOptions,
  signal: AbortSignal,
): Promise<void> {
  const {
    client,
    identity,
    resourceNamespace: namespace = "kube-system",
    resourceName: name = "kube-scheduler",
  } = options;
  const tools = {
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? defaultLog,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, metrics = noMetrics } = options;
  const events = new EventBroadcaster({ ...tools, metrics });
  events.startRecordingToSink(coreEventSink(client));
  const elector = new LeaderElector({
    ...tools,
    ...(leaseDurationMs === undefined ? {} : { leaseDurationMs }),
    ...(renewDeadlineMs === undefined ? {} : { renewDeadlineMs }),
    ...(retryPeriodMs === undefined ? {} : { retryPeriodMs }),
    lock: new LeaseLock(client, { namespace, name }),
    identity,
    observer: electionMetrics(metrics, name),
    recorder: events.newRecorder({ component: "kube-scheduler" }),
  });
  options.onElector?.(elector);
  // Not the caller's signal: events are written until the lease was given back.
  await using scope = new TaskScope(new AbortController().signal);
  void scope.spawn((each) => events.run(each));
  const why = await elector.run({ onStartedLeading: (leadership) => scheduler.run(leadership.signal) }, signal);
  if (why !== "stopped") throw new LostLeaseError(why === "lost" ? "leader election lost" : "the scheduler has ended");
}
