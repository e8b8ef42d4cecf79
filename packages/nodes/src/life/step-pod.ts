// Moves a pod's life on to the present: the pure core of a hollow node. First everything happens that was due by time, each thing at its own time
// and in order, so that a late call gives the same life as many early ones; then what the API server says now (deletion, a new image, a new ephemeral
// container, addresses) takes effect. The result says when to call again.
import type { corev1 } from "@kubeloop/core/api";
import type { LifeEvent } from "./life-event.ts";
import { afterMountFailure } from "./mount-wait.ts";
import {
  type ContainerLife,
  newContainerLife,
  type PodLife,
  type SeenPod,
  type SpecContainer,
  type StopCause,
  specContainers,
} from "./pod-life.ts";
import { computePodEnd, deadlineMessage } from "./pod-phase.ts";
import { type Step, stepContainer, stopContainer } from "./step-container.ts";
import { findMountFaults } from "./volumes.ts";

export interface PodStep {
  readonly life: PodLife;
  readonly events: readonly LifeEvent[];
  /** Images that are on the node now and were not before. */
  readonly pulledImages: readonly string[];
  /** When something happens next by itself; Infinity if nothing does. */
  readonly wakeAtMs: number;
  /** Whether the pod is where it wants to be, or cannot get any further: nobody waits for what comes next. */
  readonly isSteady: boolean;
}

export function stepPod(life: PodLife, seen: SeenPod, nowMs: number): PodStep {
  const step: Step = { seen, events: [], pulledImages: [] };
  let current = life;
  for (;;) {
    const dueMs = nextDueMs(current, seen.pod);
    if (dueMs > nowMs) break;
    current = settle(current, step, dueMs);
  }
  current = settle(absorb(current, step, nowMs), step, nowMs);
  return {
    life: current,
    events: step.events,
    pulledImages: step.pulledImages,
    wakeAtMs: Math.min(nextDueMs(current, seen.pod), current.mountWait?.retryMs ?? Number.POSITIVE_INFINITY),
    isSteady: isSteady(current),
  };
}

/** Takes over what the API server says. */
function absorb(life: PodLife, step: Step, nowMs: number): PodLife {
  if (life.end !== undefined) return life;
  const { pod } = step.seen;
  let current = prepareSandbox(life, step, nowMs);
  const known = new Set(current.containers.map(({ name }) => name));
  const added = specContainers(pod).filter(({ kind, container }) => kind === "ephemeral" && !known.has(container.name));
  if (added.length > 0) {
    const lives = added.map(({ container, kind }) => newContainerLife(container, kind));
    current = { ...current, containers: [...current.containers, ...lives] };
  }
  current = mapContainers(current, pod, (container, spec) => absorbImage(container, spec, step, nowMs));
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp !== undefined && deletionTimestamp !== null) {
    const graceMs = (deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    const { stopping } = current;
    // A second deletion may shorten the grace period, never lengthen it.
    if (stopping === undefined || graceMs < stopping.graceMs) {
      current = beginStop(current, step, { cause: stopping?.cause ?? "deleted", graceMs }, nowMs);
    }
  }
  return current;
}

/** The sandbox is made when there are addresses for it and all volumes can be mounted. */
function prepareSandbox(life: PodLife, step: Step, nowMs: number): PodLife {
  const { pod, podIPs, timings, config } = step.seen;
  if (life.podIPs !== undefined || life.stopping !== undefined) return life;
  const faults = findMountFaults(pod, config);
  if (faults.length > 0) {
    const { wait, events } = afterMountFailure(life.mountWait, faults, nowMs);
    step.events.push(...events);
    return { ...life, mountWait: wait };
  }
  const mounted = life.mountWait === undefined ? life : { ...life, mountWait: undefined };
  return podIPs === undefined ? mounted : { ...mounted, podIPs, sandboxMs: nowMs + timings.sandboxMs };
}

/** A changed image restarts a running container at once, without backoff. */
function absorbImage(container: ContainerLife, spec: SpecContainer, step: Step, nowMs: number): ContainerLife {
  const image = spec.container.image ?? "";
  if (image === container.image) return container;
  const renewed = { ...container, image, backoff: undefined, pullFailures: 0, configFault: undefined };
  const { state } = container;
  if (state.at === "running" && state.stop === undefined) {
    const message = `Container ${container.name} definition changed, will be restarted`;
    return stopContainer(renewed, spec, step, { message, graceMs: graceOf(step.seen.pod) }, nowMs);
  }
  const isBeginning = ["pulling", "pullFailed", "starting", "configFailed"].includes(state.at);
  return isBeginning ? { ...renewed, state: { at: "waiting" } } : renewed;
}

/** Everything that can happen at this time, until nothing more does. */
function settle(life: PodLife, step: Step, atMs: number): PodLife {
  let current = life;
  for (;;) {
    const before = current;
    current = mapContainers(current, step.seen.pod, (container, spec) =>
      stepContainer(container, spec, contextOf(current, container), step, atMs),
    );
    current = decideStop(current, step, atMs);
    if (current === before) return current;
  }
}

function contextOf(life: PodLife, container: ContainerLife) {
  const isStopping = life.stopping !== undefined;
  return {
    canStart: !isStopping && life.end === undefined && canStart(life, container),
    hasSandboxFrom: life.sandboxMs,
    isStopping,
  };
}

/** Whether it is a container's turn: init containers one after the other, app containers after all of them. */
function canStart({ containers }: PodLife, { name, kind }: ContainerLife): boolean {
  if (kind === "ephemeral") return true;
  for (const before of containers) {
    if (before.name === name) return true;
    if (before.kind === "app") return true;
    if (!isInitialized(before)) return false;
  }
  return true;
}

/** Whether what comes after an init container may start. */
function isInitialized({ kind, state, finished, wasStarted }: ContainerLife): boolean {
  if (kind === "sidecar") return wasStarted;
  return state.at === "ended" && finished.at(-1)?.exitCode === 0;
}

/** Stops the pod when its deadline has passed or its work is done, and ends it when nothing runs any more. */
function decideStop(life: PodLife, step: Step, atMs: number): PodLife {
  if (life.end !== undefined) return life;
  const { pod } = step.seen;
  if (life.stopping === undefined) {
    if (atMs >= deadlineMs(life, pod)) {
      step.events.push({ type: "Normal", reason: "DeadlineExceeded", message: deadlineMessage });
      return beginStop(life, step, { cause: "deadline", graceMs: graceOf(pod) }, atMs);
    }
    if (isWorkDone(life, pod)) return beginStop(life, step, { cause: "completed", graceMs: graceOf(pod) }, atMs);
    return life;
  }
  const running = life.containers.filter(({ state }) => state.at === "running");
  if (running.length > 0) return stopSidecars(life, step, atMs);
  return { ...life, end: computePodEnd(life.stopping.cause, life, pod), sandboxMs: Number.POSITIVE_INFINITY };
}

function deadlineMs(life: PodLife, { spec }: corev1.Pod): number {
  const { activeDeadlineSeconds } = spec ?? {};
  return activeDeadlineSeconds === undefined ? Number.POSITIVE_INFINITY : life.startedMs + activeDeadlineSeconds * 1000;
}

/** Whether all app containers have ended for good, or an init container has failed for good. */
function isWorkDone({ containers }: PodLife, pod: corev1.Pod): boolean {
  const hasFailedInit = containers.some(
    (container) => container.kind === "init" && hasEndedForGood(container) && !isInitialized(container),
  );
  if (hasFailedInit) return true;
  const apps = containers.filter(({ kind }) => kind === "app");
  return apps.length === (pod.spec?.containers.length ?? 0) && apps.every(hasEndedForGood);
}

const hasEndedForGood = ({ state }: ContainerLife) => state.at === "ended" && state.restartMs === undefined;

function beginStop(
  life: PodLife,
  step: Step,
  { cause, graceMs }: { readonly cause: StopCause; readonly graceMs: number },
  nowMs: number,
): PodLife {
  const stopping = { cause, sinceMs: nowMs, graceMs };
  const stopped = mapContainers({ ...life, stopping, mountWait: undefined }, step.seen.pod, (container, spec) => {
    const { state } = container;
    // Sidecars follow when the others have ended.
    if (state.at === "running" && container.kind !== "sidecar") {
      return stopContainer(container, spec, step, { message: `Stopping container ${container.name}`, graceMs }, nowMs);
    }
    if (state.at === "running") return container;
    if (state.at === "ended") return { ...container, state: { at: "ended", restartMs: undefined } };
    // Who waits for a restart has ended; who never ran never will.
    return container.finished.length > 0
      ? { ...container, state: { at: "ended", restartMs: undefined } }
      : { ...container, state: { at: "waiting" } };
  });
  return stopSidecars(stopped, step, nowMs);
}

/** Sidecars stop when all other containers have ended: the last one first, each when the one after it has ended. */
function stopSidecars(life: PodLife, step: Step, nowMs: number): PodLife {
  const { stopping, containers } = life;
  if (stopping === undefined) return life;
  const running = containers.filter(({ state }) => state.at === "running");
  // Sidecars come before the others, which are all being stopped: as long as one of these runs, it is the last.
  const last = running.at(-1);
  if (last?.state.at !== "running" || last.state.stop !== undefined) return life;
  const leftMs = Math.max(stopping.graceMs - (nowMs - stopping.sinceMs), 2000);
  return mapContainers(life, step.seen.pod, (container, spec) => {
    if (container !== last) return container;
    const message = `Stopping container ${container.name}`;
    return stopContainer(container, spec, step, { message, graceMs: Math.min(leftMs, stopping.graceMs) }, nowMs);
  });
}

function graceOf({ spec }: corev1.Pod): number {
  return (spec?.terminationGracePeriodSeconds ?? 30) * 1000;
}

/** Returns the same life if no container changes. */
function mapContainers(
  life: PodLife,
  pod: corev1.Pod,
  change: (container: ContainerLife, spec: SpecContainer) => ContainerLife,
): PodLife {
  const specs = new Map(specContainers(pod).map((spec) => [spec.container.name, spec]));
  let hasChanged = false;
  const containers = life.containers.map((container) => {
    const spec = specs.get(container.name);
    if (spec === undefined) return container;
    const changed = change(container, spec);
    hasChanged ||= changed !== container;
    return changed;
  });
  return hasChanged ? { ...life, containers } : life;
}

/** When something happens next by itself. */
function nextDueMs(life: PodLife, pod: corev1.Pod): number {
  if (life.end !== undefined) return Number.POSITIVE_INFINITY;
  const times = life.containers.map(({ state }) => {
    switch (state.at) {
      case "waiting":
        return Number.POSITIVE_INFINITY;
      case "ended":
        return state.restartMs ?? Number.POSITIVE_INFINITY;
      case "running":
        return nextOfRunning(state);
      default:
        return state.untilMs;
    }
  });
  if (life.stopping === undefined) {
    times.push(deadlineMs(life, pod));
    const isNew = ({ attempts, state }: ContainerLife) => attempts === 0 && state.at === "waiting";
    if (life.containers.length > 0 && life.containers.every(isNew)) times.push(life.sandboxMs);
  }
  return Math.min(...times);
}

/** A command that sleeps, a backoff and a deadline are the workload's own; pulls, starts, stops and probes that will pass are on the way. */
function isSteady({ end, stopping, mountWait, podIPs, containers }: PodLife): boolean {
  if (end !== undefined || mountWait !== undefined) return true;
  if (stopping !== undefined || podIPs === undefined) return false;
  return (
    containers.some(({ state }) => state.at !== "waiting") && containers.every(({ state }) => isSteadyContainer(state))
  );
}

function isSteadyContainer(state: ContainerLife["state"]): boolean {
  switch (state.at) {
    case "running": {
      const { outlook, reportedMs, stop } = state;
      const isDue = (atMs: number) => atMs > reportedMs && atMs < Number.POSITIVE_INFINITY;
      return stop === undefined && !isDue(outlook.startedMs) && !outlook.readiness.some(({ atMs }) => isDue(atMs));
    }
    case "ended":
      return state.restartMs === undefined;
    case "waiting":
    case "pullFailed":
    case "backoff":
      return true;
    default:
      return false;
  }
}

function nextOfRunning(state: ContainerLife["state"] & { readonly at: "running" }): number {
  const { outlook, reportedMs, stop, endsAtMs } = state;
  const endMs = Math.min(endsAtMs, stop?.endsMs ?? Number.POSITIVE_INFINITY);
  if (stop !== undefined) return endMs;
  const probed = [
    ...outlook.failures.map(({ atMs }) => atMs),
    ...outlook.readiness.map(({ atMs }) => atMs),
    outlook.kill?.atMs ?? Number.POSITIVE_INFINITY,
    outlook.startedMs,
  ].filter((atMs) => atMs > reportedMs);
  return Math.min(endMs, ...probed);
}
