// What a hollow node remembers of a pod: the state of its sandbox and of each container. `stepPod` moves it on in time, `toPodStatus` says what the
// API shows of it. Times are milliseconds since 1970. All of it is plain readonly data.
import type { corev1 } from "@kubeloop/core/api";
import type { AnyContainer, ConfigSource, Environment } from "../script/environment.ts";
import type { MountWait } from "./mount-wait.ts";
import type { ProbeOutlook } from "./probe-outlook.ts";
import type { RestartBackoff } from "./restart.ts";

export type ContainerKind = "init" | "sidecar" | "app" | "ephemeral";

/** One attempt that is over. */
export interface Ended {
  /** 0 for the first start. */
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: "Completed" | "Error" | "OOMKilled";
  readonly message: string;
  /** Its environment, if that depended on more than its pod. */
  readonly env?: Environment | undefined;
}

/** A running container that was asked to stop. */
export interface Stop {
  /** When the process ends if it does not end before by itself, and how. */
  readonly endsMs: number;
  readonly exitCode: number;
}

export type ContainerState =
  /** It is not its turn, or the sandbox is not there. */
  | { readonly at: "waiting" }
  | { readonly at: "pulling"; readonly untilMs: number }
  | { readonly at: "pullFailed"; readonly sinceMs: number; readonly untilMs: number; readonly isBackingOff: boolean }
  | { readonly at: "starting"; readonly untilMs: number }
  /** A ConfigMap or Secret of its environment is missing. */
  | { readonly at: "configFailed"; readonly untilMs: number }
  | {
      readonly at: "running";
      readonly startedAtMs: number;
      /** When it ends by itself; Infinity if it does not. */
      readonly endsAtMs: number;
      readonly exitCode: number;
      /** The termination message if it ends by itself. */
      readonly message: string;
      readonly env?: Environment | undefined;
      readonly outlook: ProbeOutlook;
      /** Up to this time the outlook's failures were reported. */
      readonly reportedMs: number;
      readonly stop: Stop | undefined;
    }
  /** `restartMs`: when it is looked at for a restart; undefined if it has ended for good. */
  | { readonly at: "ended"; readonly restartMs: number | undefined }
  | { readonly at: "backoff"; readonly untilMs: number };

export interface ContainerLife {
  readonly name: string;
  readonly kind: ContainerKind;
  readonly image: string;
  readonly state: ContainerState;
  /** How many attempts have started. */
  readonly attempts: number;
  /** The last two attempts that are over, older first. */
  readonly finished: readonly Ended[];
  readonly backoff: RestartBackoff | undefined;
  readonly pullFailures: number;
  /** Why it could not be configured when this was tried last. */
  readonly configFault: string | undefined;
  /** Whether an attempt has once passed its startup probe: what comes after a sidecar waits for that. */
  readonly wasStarted: boolean;
}

export type StopCause = "deleted" | "deadline" | "completed";

export interface PodLife {
  /** status.startTime. */
  readonly startedMs: number;
  /** Undefined until the sandbox has addresses. */
  readonly podIPs: readonly string[] | undefined;
  /** When the sandbox is there; Infinity until addresses are known. */
  readonly sandboxMs: number;
  /** Set while volumes cannot be mounted. */
  readonly mountWait: MountWait | undefined;
  readonly containers: readonly ContainerLife[];
  readonly stopping: { readonly cause: StopCause; readonly sinceMs: number; readonly graceMs: number } | undefined;
  /** Set when no container runs any more and none will. */
  readonly end:
    | { readonly phase: "Succeeded" | "Failed"; readonly reason?: string; readonly message?: string }
    | undefined;
}

/** How long things take that have no length of their own. */
export interface Timings {
  readonly sandboxMs: number;
  readonly pullMs: number;
  /** Creating and starting a container. */
  readonly startMs: number;
  /** How soon the node notices that a container has ended, as the kubelet's PLEG does. */
  readonly relistMs: number;
  /** From the stop signal to the end of a process that handles it. */
  readonly stopMs: number;
}

/** What a hollow node sees of a pod and of itself. */
export interface SeenPod {
  readonly pod: corev1.Pod;
  /** The addresses of the pod's sandbox; undefined while the node has none to give. */
  readonly podIPs: readonly string[] | undefined;
  /** Images that were pulled before. */
  readonly presentImages: ReadonlySet<string>;
  readonly config: ConfigSource;
  readonly timings: Timings;
}

export const defaultTimings: Timings = { sandboxMs: 200, pullMs: 500, startMs: 100, relistMs: 1000, stopMs: 1000 };

/** With a factor for the node's own delays. What pods say themselves, probes, deadlines and backoff keep their time. */
export function atSpeed(timings: Timings, speed: number): Timings {
  if (!(speed > 0)) throw new RangeError(`speed must be more than 0, not ${speed}`);
  const { sandboxMs, pullMs, startMs, stopMs } = timings;
  const faster = (ms: number) => Math.round(ms / speed);
  return {
    ...timings,
    sandboxMs: faster(sandboxMs),
    pullMs: faster(pullMs),
    startMs: faster(startMs),
    stopMs: faster(stopMs),
  };
}

export function newPodLife(pod: corev1.Pod, nowMs: number): PodLife {
  return {
    startedMs: nowMs,
    podIPs: undefined,
    sandboxMs: Number.POSITIVE_INFINITY,
    mountWait: undefined,
    containers: specContainers(pod).map(({ kind, container }) => newContainerLife(container, kind)),
    stopping: undefined,
    end: undefined,
  };
}

export function newContainerLife(container: AnyContainer, kind: ContainerKind): ContainerLife {
  return {
    name: container.name,
    kind,
    image: container.image ?? "",
    state: { at: "waiting" },
    attempts: 0,
    finished: [],
    backoff: undefined,
    pullFailures: 0,
    configFault: undefined,
    wasStarted: false,
  };
}

export interface SpecContainer {
  readonly kind: ContainerKind;
  readonly container: AnyContainer;
}

/** All containers of a pod: init containers and sidecars in their order, then app containers, then ephemeral ones. */
export function specContainers({ spec }: corev1.Pod): readonly SpecContainer[] {
  const init = (spec?.initContainers ?? []).map((container) => ({
    kind: container.restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
    container,
  }));
  const apps = (spec?.containers ?? []).map((container) => ({ kind: "app" as const, container }));
  const ephemeral = (spec?.ephemeralContainers ?? []).map((container) => ({ kind: "ephemeral" as const, container }));
  return [...init, ...apps, ...ephemeral];
}
