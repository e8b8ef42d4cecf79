// What happens to one container at one moment: it pulls its image, starts, passes or fails its probes, ends, and waits for its next attempt. Pure:
// each function returns the container after the change, or the same one, and adds events to the step.
import type { corev1 } from "@kubeloop/core/api";
import { attemptEnd } from "../script/attempt-run.ts";
import { type ContainerScript, containerScript } from "../script/container-script.ts";
import { hasConfigReferences, type ResolvedEnvironment, resolveEnvironment } from "../script/environment.ts";
import { fullImageName, imageBytes } from "../script/image-name.ts";
import { mountedFiles } from "../script/mounted-files.ts";
import { findSubPathFault } from "../script/sub-paths.ts";
import type { LifeEvent } from "./life-event.ts";
import type { ContainerLife, ContainerState, Ended, SeenPod, SpecContainer } from "./pod-life.ts";
import { type ProbeOutlook, probeOutlook } from "./probe-outlook.ts";
import { afterRestart, pullBackoffMs, restartDelayMs, shouldRestart } from "./restart.ts";

/** What a step collects while it computes. */
export interface Step {
  readonly seen: SeenPod;
  readonly events: LifeEvent[];
  readonly pulledImages: string[];
}

export interface ContainerContext {
  /** Whether it is this container's turn. */
  readonly canStart: boolean;
  readonly hasSandboxFrom: number;
  readonly isStopping: boolean;
}

export function stepContainer(
  container: ContainerLife,
  spec: SpecContainer,
  context: ContainerContext,
  step: Step,
  atMs: number,
): ContainerLife {
  const { state } = container;
  switch (state.at) {
    case "waiting":
      if (!context.canStart || atMs < context.hasSandboxFrom) return container;
      return beginAttempt(container, spec, step, atMs);
    case "pulling":
      return atMs < state.untilMs ? container : endPull(container, spec, step, atMs);
    case "pullFailed":
      if (atMs < state.untilMs) return container;
      // ErrImagePull is shown first, and then ImagePullBackOff until the next pull.
      if (!state.isBackingOff) return beginPullBackoff(container, state, step);
      return pull(container, spec, step, atMs);
    case "starting":
      return atMs < state.untilMs ? container : start(container, spec, step, atMs);
    case "configFailed":
      // Nobody waits longer for what is there.
      if (atMs < state.untilMs && "fault" in resolve(spec, step)) return container;
      return beginAttempt(container, spec, step, atMs);
    case "running":
      return stepRunning(container, state, spec, context, step, atMs);
    case "ended":
      if (state.restartMs === undefined || atMs < state.restartMs || context.isStopping) return container;
      return restartOrBackOff(container, spec, step, atMs);
    case "backoff":
      return atMs < state.untilMs ? container : restart(container, spec, step, atMs);
  }
}

function report(step: Step, { name, kind }: ContainerLife, event: Omit<LifeEvent, "container">): void {
  step.events.push({ ...event, container: { name, kind } });
}

function beginAttempt(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  const { image } = container;
  const policy = spec.container.imagePullPolicy ?? "IfNotPresent";
  // A hollow node has every image that is never pulled, because nobody can load one into it.
  const wasPulled = step.seen.presentImages.has(image) || step.pulledImages.includes(image);
  const isPresent = policy === "Never" || (policy !== "Always" && wasPulled);
  if (!isPresent || !containerScript(step.seen.pod, spec.container).canPull) return pull(container, spec, step, atMs);
  const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
  report(step, container, { type: "Normal", reason: "Pulled", message });
  return { ...container, state: { at: "starting", untilMs: atMs + step.seen.timings.startMs } };
}

function pull(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  report(step, container, { type: "Normal", reason: "Pulling", message: `Pulling image "${container.image}"` });
  const { pullMs } = containerScript(step.seen.pod, spec.container);
  return { ...container, state: { at: "pulling", untilMs: atMs + (pullMs ?? step.seen.timings.pullMs) } };
}

/** What the runtime says of an image that is not there. */
export function pullError(image: string): string {
  const name = fullImageName(image);
  const text = `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`;
  return `rpc error: code = NotFound desc = ${text}`;
}

function endPull(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  const { image } = container;
  const { timings, pod } = step.seen;
  const script = containerScript(pod, spec.container);
  if (!script.canPull) {
    const message = `Failed to pull image "${image}": ${pullError(image)}`;
    report(step, container, { type: "Warning", reason: "Failed", message });
    report(step, container, { type: "Warning", reason: "Failed", message: "Error: ErrImagePull" });
    const state: ContainerState = {
      at: "pullFailed",
      sinceMs: atMs,
      untilMs: atMs + timings.relistMs,
      isBackingOff: false,
    };
    return { ...container, pullFailures: container.pullFailures + 1, state };
  }
  const seconds = `${(script.pullMs ?? timings.pullMs) / 1000}s`;
  const message = `Successfully pulled image "${image}" in ${seconds} (${seconds} including waiting). Image size: ${imageBytes} bytes.`;
  report(step, container, { type: "Normal", reason: "Pulled", message });
  step.pulledImages.push(image);
  return { ...container, pullFailures: 0, state: { at: "starting", untilMs: atMs + timings.startMs } };
}

function beginPullBackoff(
  container: ContainerLife,
  state: ContainerState & { readonly at: "pullFailed" },
  step: Step,
): ContainerLife {
  const { image, pullFailures } = container;
  report(step, container, { type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"` });
  report(step, container, { type: "Warning", reason: "Failed", message: "Error: ImagePullBackOff" });
  return {
    ...container,
    state: { ...state, isBackingOff: true, untilMs: state.sinceMs + pullBackoffMs(pullFailures) },
  };
}

/** How long the kubelet waits before it looks again at what it could not configure. */
const configRetryMs = 10_000;

/** What the container starts with, or why it cannot. */
function resolve({ container }: SpecContainer, { seen }: Step): ResolvedEnvironment {
  const resolved = resolveEnvironment(seen.pod, container, seen.config);
  const fault = "fault" in resolved ? undefined : findSubPathFault(container, resolved.env);
  return fault === undefined ? resolved : { fault };
}

function start(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  const { pod } = step.seen;
  const resolved = resolve(spec, step);
  if ("fault" in resolved) {
    const { fault } = resolved;
    report(step, container, { type: "Warning", reason: "Failed", message: `Error: ${fault}` });
    return { ...container, configFault: fault, state: { at: "configFailed", untilMs: atMs + configRetryMs } };
  }
  const attempt = container.attempts;
  const env = hasConfigReferences(spec.container) ? resolved.env : undefined;
  const files = mountedFiles(pod, spec.container, step.seen.config);
  const end = attemptEnd({ pod, container: spec.container, env: resolved.env, files }, attempt);
  const script = containerScript(pod, spec.container);
  report(step, container, { type: "Normal", reason: "Created", message: "Container created" });
  report(step, container, { type: "Normal", reason: "Started", message: "Container started" });
  const outlook = toProbeOutlook(spec, script, atMs);
  const state: ContainerState = {
    at: "running",
    startedAtMs: atMs,
    endsAtMs: atMs + end.runForMs,
    exitCode: end.exitCode,
    message: end.terminationMessage,
    env,
    outlook,
    reportedMs: atMs - 1,
    stop: undefined,
  };
  return { ...container, attempts: attempt + 1, configFault: undefined, state };
}

/** Only app containers and sidecars are probed. */
export function toProbeOutlook(spec: SpecContainer, script: ContainerScript, startedAtMs: number): ProbeOutlook {
  const isProbed = spec.kind === "app" || spec.kind === "sidecar";
  return probeOutlook(isProbed ? spec.container : {}, script, startedAtMs);
}

type Running = ContainerState & { readonly at: "running" };

function stepRunning(
  container: ContainerLife,
  state: Running,
  spec: SpecContainer,
  context: ContainerContext,
  step: Step,
  atMs: number,
): ContainerLife {
  const { outlook, reportedMs, stop } = state;
  const stopMs = stop?.endsMs ?? Number.POSITIVE_INFINITY;
  if (atMs >= Math.min(state.endsAtMs, stopMs)) {
    const { terminationMessage } = containerScript(step.seen.pod, spec.container);
    const how =
      state.endsAtMs <= stopMs
        ? { exitCode: state.exitCode, message: state.message, atMs: state.endsAtMs }
        : { exitCode: stop?.exitCode ?? 0, message: terminationMessage, atMs: stopMs };
    return end(container, state, how, spec, context, step);
  }
  if (atMs <= reportedMs || stop !== undefined) return container;
  for (const failure of outlook.failures) {
    if (failure.atMs <= reportedMs || failure.atMs > atMs) continue;
    const name = `${failure.probe[0]?.toUpperCase()}${failure.probe.slice(1)}`;
    const message = `${name} probe failed: ${probeFailure(spec.container[`${failure.probe}Probe`], step.seen)}`;
    report(step, container, { type: "Warning", reason: "Unhealthy", message });
  }
  const { kill } = outlook;
  const reported = {
    ...container,
    wasStarted: container.wasStarted || atMs >= outlook.startedMs,
    state: { ...state, reportedMs: atMs },
  };
  if (kill === undefined || atMs < kill.atMs || context.isStopping) return reported;
  const { livenessProbe, startupProbe } = spec.container;
  const probe = kill.by === "liveness" ? livenessProbe : startupProbe;
  const { terminationGracePeriodSeconds = 30 } = step.seen.pod.spec ?? {};
  const graceMs = (probe?.terminationGracePeriodSeconds ?? terminationGracePeriodSeconds) * 1000;
  const message = `Container ${container.name} failed ${kill.by} probe, will be restarted`;
  return stopContainer(reported, spec, step, { message, graceMs }, atMs);
}

/** What a prober says of a server that does not do well. */
function probeFailure(probe: corev1.Probe | undefined, { podIPs = [] }: SeenPod): string {
  if (probe?.httpGet !== undefined) return "HTTP probe failed with statuscode: 500";
  const { tcpSocket, grpc } = probe ?? {};
  if (tcpSocket !== undefined) {
    return `dial tcp ${tcpSocket.host ?? podIPs[0] ?? ""}:${tcpSocket.port}: connect: connection refused`;
  }
  // Of a command it is what the command prints.
  return grpc === undefined ? "" : 'service unhealthy (responded with "NOT_SERVING")';
}

/** Exit code of a process that was killed: 128 and the number of SIGKILL. */
const killedCode = 137;
/** A process gets at least this long after its stop signal. */
const shortestGraceMs = 2000;

/** Asks a running container to stop. A second call can only shorten the time that is left. */
export function stopContainer(
  container: ContainerLife,
  spec: SpecContainer,
  step: Step,
  { message, graceMs }: { readonly message: string; readonly graceMs: number },
  nowMs: number,
): ContainerLife {
  const { state } = container;
  if (state.at !== "running") return container;
  if (state.stop === undefined) report(step, container, { type: "Normal", reason: "Killing", message });
  const preStopMs = Math.min((spec.container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000, graceMs);
  const signalMs = nowMs + preStopMs;
  const killMs = graceMs === 0 ? nowMs : Math.max(nowMs + graceMs, signalMs + shortestGraceMs);
  const { onTerm } = containerScript(step.seen.pod, spec.container);
  const endsMs = onTerm === "ignored" ? killMs : Math.min(signalMs + step.seen.timings.stopMs, killMs);
  const exitCode = onTerm === "ignored" || endsMs === killMs ? killedCode : onTerm.exitCode;
  if (state.stop !== undefined && state.stop.endsMs <= endsMs) return container;
  return { ...container, state: { ...state, stop: { endsMs, exitCode } } };
}

function end(
  container: ContainerLife,
  state: Running,
  { exitCode, message, atMs }: { readonly exitCode: number; readonly message: string; readonly atMs: number },
  spec: SpecContainer,
  context: ContainerContext,
  step: Step,
): ContainerLife {
  const { pod, timings } = step.seen;
  const ended: Ended = {
    attempt: container.attempts - 1,
    startedAtMs: state.startedAtMs,
    finishedAtMs: atMs,
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    message,
    env: state.env,
  };
  const isFinal = context.isStopping || !isRestarted(spec, pod, exitCode);
  const restartMs = isFinal ? undefined : atMs + timings.relistMs;
  const finished = [...container.finished.slice(-1), ended];
  const wasStarted = container.wasStarted || atMs >= state.outlook.startedMs;
  return { ...container, finished, wasStarted, state: { at: "ended", restartMs } };
}

function restartOrBackOff(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  const finishedMs = container.finished.at(-1)?.finishedAtMs ?? atMs;
  const delayMs = restartDelayMs(container.backoff, finishedMs);
  if (finishedMs + delayMs <= atMs) return restart(container, spec, step, atMs);
  const { name, namespace, uid } = step.seen.pod.metadata;
  const message = `Back-off restarting failed container ${container.name} in pod ${name}_${namespace}(${uid})`;
  report(step, container, { type: "Warning", reason: "BackOff", message });
  return { ...container, state: { at: "backoff", untilMs: finishedMs + delayMs } };
}

function restart(container: ContainerLife, spec: SpecContainer, step: Step, atMs: number): ContainerLife {
  const finishedMs = container.finished.at(-1)?.finishedAtMs ?? atMs;
  return beginAttempt({ ...container, backoff: afterRestart(container.backoff, finishedMs, atMs) }, spec, step, atMs);
}

/** Whether a container that has ended with this code starts again; sidecars always do, ephemeral containers never. */
export function isRestarted({ kind, container }: SpecContainer, pod: corev1.Pod, exitCode: number): boolean {
  if (kind === "sidecar") return true;
  if (kind === "ephemeral") return false;
  const policy = pod.spec?.restartPolicy ?? "Always";
  // An init container that has succeeded is done, whatever the policy.
  if (kind === "init" && exitCode === 0) return false;
  return shouldRestart(
    container as corev1.Container,
    kind === "init" && policy === "Always" ? "OnFailure" : policy,
    exitCode,
  );
}
