// What the API shows of a pod: its status, from its life. Fields and conditions of others (readiness gates, nominatedNodeName) stay as they are.
import { type corev1, findCondition, printTime } from "@kubeloop/core/api";
import { computeQosClass } from "@kubeloop/core/rules";
import { toContainerStatus } from "./container-status.ts";
import { type ContainerLife, type PodLife, specContainers } from "./pod-life.ts";
import { computePhase } from "./pod-phase.ts";

export interface StatusInput {
  readonly pod: corev1.Pod;
  readonly life: PodLife;
  /** Addresses of the node, the first of the primary family. */
  readonly hostIPs: readonly string[];
}

export function toPodStatus({ pod, life, hostIPs }: StatusInput, nowMs: number): corev1.PodStatus {
  const specs = new Map(specContainers(pod).map((spec) => [spec.container.name, spec]));
  const statuses = (kinds: readonly string[]) =>
    life.containers.flatMap((container) => {
      const spec = specs.get(container.name);
      if (spec === undefined || !kinds.includes(container.kind)) return [];
      return [toContainerStatus(container, { spec, life, pod, nowMs })];
    });
  const byName = (all: corev1.ContainerStatus[]) => all.sort((a, b) => (a.name < b.name ? -1 : 1));
  const init = statuses(["init", "sidecar"]);
  const apps = byName(statuses(["app"]));
  const ephemeral = byName(statuses(["ephemeral"]));
  const phase = computePhase(life);
  const wasSandboxSeen = life.podIPs !== undefined && life.containers.some(hasBeenTried);
  const podIPs = pod.spec?.hostNetwork === true ? hostIPs : wasSandboxSeen ? (life.podIPs ?? []) : [];
  const hasSandbox = wasSandboxSeen && life.end === undefined;
  const generation = pod.metadata.generation;
  const { reason: _reason, message: _message, ...kept } = pod.status ?? {};
  return {
    ...kept,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    conditions: toConditions({ pod, life, hostIPs }, { phase, statuses: [...init, ...apps], hasSandbox }, nowMs),
    ...(life.end?.reason === undefined ? {} : { reason: life.end.reason }),
    ...(life.end?.message === undefined ? {} : { message: life.end.message }),
    hostIP: hostIPs[0] ?? "",
    hostIPs: hostIPs.map((ip) => ({ ip })),
    ...(podIPs.length > 0 ? { podIP: podIPs[0] ?? "", podIPs: podIPs.map((ip) => ({ ip })) } : {}),
    startTime: printTime(life.startedMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: apps,
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    qosClass: computeQosClass(pod),
  };
}

/** A kubelet looks at the sandbox again only when it has started a container, or has failed to: not while it pulls an image. */
const hasBeenTried = ({ attempts, pullFailures, configFault }: ContainerLife) =>
  attempts > 0 || pullFailures > 0 || configFault !== undefined;

/** Conditions that the kubelet writes, in the order in which it writes them. It drops those that it does not write any more. */
export const ownedConditions: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
];

interface Facts {
  readonly phase: string;
  readonly statuses: readonly corev1.ContainerStatus[];
  readonly hasSandbox: boolean;
}

interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

function toConditions({ pod, life }: StatusInput, facts: Facts, nowMs: number): corev1.PodCondition[] {
  const old = pod.status?.conditions ?? [];
  const foreign = old.filter(({ type }) => !ownedConditions.includes(type));
  const containersReady = decideContainersReady(pod, facts);
  const verdicts: Readonly<Record<string, Verdict>> = {
    PodReadyToStartContainers: { status: facts.hasSandbox ? "True" : "False" },
    Initialized: decideInitialized(pod, life, facts, old),
    Ready: decideReady(pod, containersReady, old),
    ContainersReady: containersReady,
    PodScheduled: { status: "True" },
  };
  const { generation } = pod.metadata;
  const owned = ownedConditions.map((type): corev1.PodCondition => {
    const verdict = verdicts[type] ?? { status: "False" };
    const before = findCondition(old, type);
    const isSame = before?.status === verdict.status && before.lastTransitionTime !== undefined;
    return {
      type,
      ...verdict,
      // The API server stores null here; to leave it out would be a change each time.
      ...(before?.lastProbeTime === undefined ? {} : { lastProbeTime: before.lastProbeTime }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: isSame ? before.lastTransitionTime : printTime(nowMs),
    };
  });
  return [...foreign, ...owned];
}

function decideContainersReady({ spec }: corev1.Pod, { phase, statuses }: Facts): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const names = [...sidecars, ...(spec?.containers ?? [])].map(({ name }) => name);
  const unready = names.filter((name) => statuses.find((status) => status.name === name)?.ready !== true);
  if (unready.length === 0) return { status: "True" };
  const message = `containers with unready status: [${unready.join(" ")}]`;
  return { status: "False", reason: "ContainersNotReady", message };
}

function decideReady({ spec }: corev1.Pod, containersReady: Verdict, old: readonly corev1.PodCondition[]): Verdict {
  if (containersReady.status === "False") return containersReady;
  const faults = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = findCondition(old, conditionType);
    if (condition === undefined) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (faults.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: faults.join(", ") };
}

function decideInitialized(
  { spec }: corev1.Pod,
  { containers }: PodLife,
  { phase }: Facts,
  old: readonly corev1.PodCondition[],
): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" };
  // An app container that has run shows that initialization was complete, whatever a sidecar does since.
  const hasRun = containers.some(({ kind, attempts }) => kind === "app" && attempts > 0);
  const incomplete = containers.filter(
    ({ kind, state, finished, wasStarted }) =>
      (kind === "init" && !(state.at === "ended" && finished.at(-1)?.exitCode === 0)) ||
      (kind === "sidecar" && !wasStarted),
  );
  const hasInit = (spec?.initContainers ?? []).length > 0;
  if (!hasInit || hasRun || incomplete.length === 0) return { status: "True" };
  if (phase === "Failed" && findCondition(old, "Initialized")?.status === "True") return { status: "True" };
  const message = `containers with incomplete status: [${incomplete.map(({ name }) => name).join(" ")}]`;
  return { status: "False", reason: "ContainersNotInitialized", message };
}
