// Plays a pod's life without a server: calls `stepPod` whenever it asks for it, and writes down each status that differs from the one before.
import { type corev1, printTime } from "@kubeloop/core/api";
import { type ConfigSource, noConfig } from "../script/environment.ts";
import type { LifeEvent } from "./life-event.ts";
import { newPodLife, type PodLife, type Timings } from "./pod-life.ts";
import { toPodStatus } from "./pod-status.ts";
import { stepPod } from "./step-pod.ts";

/** Whole seconds, so that rows of tables are easy to read: a pod starts two seconds after it was seen. */
export const slowTimings: Timings = { sandboxMs: 1000, pullMs: 1000, startMs: 0, relistMs: 1000, stopMs: 1000 };
export const startMs = 1_900_000_000_000;

export interface Played {
  readonly atSeconds: number;
  readonly status: corev1.PodStatus;
  readonly life: PodLife;
}

export interface PlayOptions {
  readonly untilSeconds: number;
  /** Changes of the object, by the second in which they are seen. */
  readonly changes?: Readonly<Record<number, (pod: corev1.Pod) => corev1.Pod>>;
  /** Calls in each of these seconds only, instead of whenever something is due. */
  readonly onlyAtSeconds?: readonly number[];
  /** The ConfigMaps and Secrets in each second. Default: none. */
  readonly config?: (atSeconds: number) => ConfigSource;
}

export interface Play {
  readonly seen: readonly Played[];
  readonly events: readonly LifeEvent[];
}

export function play(
  first: corev1.Pod,
  { untilSeconds, changes = {}, onlyAtSeconds, config = () => noConfig }: PlayOptions,
): Play {
  let pod = first;
  let life = newPodLife(pod, startMs);
  const seen: Played[] = [];
  const events: LifeEvent[] = [];
  const presentImages = new Set<string>();
  const due = new Set([0, ...(onlyAtSeconds ?? []), ...Object.keys(changes).map(Number)]);
  for (;;) {
    const atSeconds = Math.min(...due);
    if (atSeconds > untilSeconds) return { seen, events };
    due.delete(atSeconds);
    pod = changes[atSeconds]?.(pod) ?? pod;
    const nowMs = startMs + atSeconds * 1000;
    const source = config(atSeconds);
    const seenPod = { pod, podIPs: ["10.1.0.5"], presentImages, config: source, timings: slowTimings };
    const step = stepPod(life, seenPod, nowMs);
    life = step.life;
    for (const image of step.pulledImages) presentImages.add(image);
    events.push(...step.events);
    const status = toPodStatus({ pod, life, hostIPs: ["192.168.0.1"] }, nowMs);
    if (JSON.stringify(status) !== JSON.stringify(pod.status)) seen.push({ atSeconds, status, life });
    pod = { ...pod, status };
    if (onlyAtSeconds === undefined) due.add((step.wakeAtMs - startMs) / 1000);
  }
}

/** One line for each status: "2 Running ready c=running". */
export function summary({ seen }: Play): string[] {
  return seen.map(({ atSeconds, status }) => {
    const all = [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
      ...(status.ephemeralContainerStatuses ?? []),
    ];
    const isReady = status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
    return `${atSeconds} ${status.phase}${isReady ? " ready" : ""} ${all.map(printContainer).join(" ")}`;
  });
}

function printContainer({ name, state, restartCount }: corev1.ContainerStatus): string {
  const shown = state?.running
    ? "running"
    : state?.terminated
      ? `exit${state.terminated.exitCode}`
      : (state?.waiting?.reason ?? "none");
  return `${name}=${shown}${restartCount > 0 ? `*${restartCount}` : ""}`;
}

export function podOf(
  spec: Partial<corev1.PodSpec> & { readonly containers: readonly corev1.Container[] },
  annotations: Readonly<Record<string, string>> = {},
): corev1.Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u1", generation: 1, annotations },
    spec: { nodeName: "node-1", restartPolicy: "Always", terminationGracePeriodSeconds: 30, ...spec },
  };
}

export const shell = (name: string, script: string, more: Partial<corev1.Container> = {}): corev1.Container => ({
  name,
  image: "busybox",
  command: ["sh", "-c", script],
  ...more,
});

export const server = (name: string, more: Partial<corev1.Container> = {}): corev1.Container => ({
  name,
  image: "shop/web:v1",
  ...more,
});

/** As the API server marks a pod that is being deleted. */
export const deleted =
  (graceSeconds: number) =>
  (pod: corev1.Pod): corev1.Pod => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      generation: 2,
      deletionTimestamp: printTime(startMs),
      deletionGracePeriodSeconds: graceSeconds,
    },
  });
