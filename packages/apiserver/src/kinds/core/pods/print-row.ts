// A pod in a table: how many of its containers are ready, what it is doing in one word, and how often it was restarted.
import { type corev1, parseTime } from "@kubeloop/core/api";
import type { PrintContext } from "../../kind-rules.ts";
import { isSidecar } from "../../pod-spec/visit-containers.ts";
import { printAge, printShortDuration } from "../../shared/print-age.ts";

type Pod = corev1.Pod;
type ContainerStatus = corev1.ContainerStatus;

export function printPodRow(pod: Pod, { nowMs }: PrintContext): readonly unknown[] {
  const { spec, status = {}, metadata } = pod;
  const seen = look(pod);
  const restarts =
    seen.restarts !== 0 && seen.lastRestartMs !== undefined
      ? `${seen.restarts} (${printShortDuration(nowMs - seen.lastRestartMs)} ago)`
      : `${seen.restarts}`;
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).length;
  return [
    metadata.name,
    `${seen.ready}/${(spec.containers ?? []).length + sidecars}`,
    wordFor(pod, seen.reason),
    restarts,
    printAge(metadata.creationTimestamp, nowMs),
    status.podIPs?.[0]?.ip || "<none>",
    spec.nodeName || "<none>",
    status.nominatedNodeName || "<none>",
    printReadinessGates(pod),
  ];
}

/** What clients mark a finished pod's row with. */
export function podRowConditions({ status }: Pod): readonly object[] {
  if (status?.phase === "Succeeded") {
    return [{ type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." }];
  }
  if (status?.phase === "Failed") {
    return [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
  }
  return [];
}

interface Sight {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestartMs: number | undefined;
}

function look(pod: Pod): Sight {
  const { status = {} } = pod;
  const isGated = (status.conditions ?? []).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const phase = isGated ? "SchedulingGated" : status.reason || status.phase || "";
  const init = lookAtInit(pod, phase);
  if (init.isStarting && !isInitialized(status)) return { ...init.seen, ready: init.readySidecars };
  return lookAtContainers(status, phase, init);
}

interface InitSight {
  readonly isStarting: boolean;
  readonly readySidecars: number;
  readonly seen: Sight;
  readonly sidecars: Pick<Sight, "restarts" | "lastRestartMs">;
  readonly reason: string;
}

/** Init containers run in turn: the first that is not done says what the pod is doing. */
function lookAtInit({ spec, status }: Pod, phase: string): InitSight {
  const sidecarNames = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const statuses = status?.initContainerStatuses ?? [];
  const looked: ContainerStatus[] = [];
  let readySidecars = 0;
  let reason: string | undefined;
  for (const [i, container] of statuses.entries()) {
    looked.push(container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecarNames.has(container.name) && container.started === true) {
      if (container.ready) readySidecars++;
      continue;
    }
    reason = `Init:${initWord(container) ?? `${i}/${(spec.initContainers ?? []).length}`}`;
    break;
  }
  const sidecars = countRestarts(looked.filter(({ name }) => sidecarNames.has(name)));
  const seen = { ...countRestarts(looked), reason: reason ?? phase, ready: readySidecars };
  return { isStarting: reason !== undefined, readySidecars, seen, sidecars, reason: reason ?? phase };
}

function initWord({ state }: ContainerStatus): string | undefined {
  if (state?.terminated !== undefined) return endWord(state.terminated);
  const waiting = state?.waiting?.reason ?? "";
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

function lookAtContainers(status: corev1.PodStatus, phase: string, init: InitSight): Sight {
  const statuses = status.containerStatuses ?? [];
  let reason = init.isStarting ? init.reason : phase;
  let failure = "";
  let running = 0;
  // From the last to the first: the first one's word stays.
  for (const { state, ready } of [...statuses].reverse()) {
    const waiting = state?.waiting?.reason ?? "";
    if (waiting !== "") {
      reason = waiting;
    } else if (state?.terminated !== undefined) {
      reason = endWord(state.terminated);
      if (state.terminated.exitCode !== 0) failure = reason;
    } else if (ready && state?.running !== undefined) {
      running++;
    }
  }
  if (reason === "Completed") {
    const isReady = (status.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
    if (running > 0 && isReady) reason = "Running";
    else if (failure !== "") reason = failure;
    else if (running > 0) reason = "NotReady";
  }
  const own = countRestarts(statuses);
  return {
    reason,
    ready: init.readySidecars + running,
    restarts: own.restarts + init.sidecars.restarts,
    lastRestartMs: latest(own.lastRestartMs, init.sidecars.lastRestartMs),
  };
}

function endWord({ reason = "", signal = 0, exitCode }: corev1.ContainerStateTerminated): string {
  if (reason !== "") return reason;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function countRestarts(statuses: readonly ContainerStatus[]): Pick<Sight, "restarts" | "lastRestartMs"> {
  let restarts = 0;
  let lastRestartMs: number | undefined;
  for (const { restartCount, lastState } of statuses) {
    restarts += restartCount ?? 0;
    const finished = lastState?.terminated?.finishedAt;
    if (finished) lastRestartMs = latest(lastRestartMs, parseTime(finished));
  }
  return { restarts, lastRestartMs };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}

function isInitialized({ conditions = [] }: corev1.PodStatus): boolean {
  return conditions.find(({ type }) => type === "Initialized")?.status === "True";
}

function wordFor({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? reason : "Terminating";
}

function printReadinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === "True",
  );
  return `${open.length}/${gates.length}`;
}
