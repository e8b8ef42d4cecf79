// Which pods go first when there are too many, as Kubernetes orders them. Rule by rule, until one tells two pods apart:
//
//   1. on no node before on one             5. with more related pods on its node first
//   2. Pending, then Unknown, then Running  6. if both are ready: ready for less time first
//   3. not ready before ready               7. a container that restarted more often first, then a sidecar
//   4. lower pod-deletion-cost first        8. newer before older
//
// Times of 6 and 8 are compared by the logarithm of how long ago they are: among pods of about the same age the uid decides, which is as
// good as chance, so that not always the newest go. A pod that does not tell its time counts as the newest.
import { compareTimes, type corev1, findCondition, parseTime } from "@kubeloop/core/api";
import { isPodActive, isPodReady, podDeletionCost } from "@kubeloop/core/rules";

export interface DeletionOrderOptions {
  readonly nowMs: number;
  /** Pods of all sets of the same owner, these among them: where active ones crowd on a node, some go first. None unless given. */
  readonly related?: readonly corev1.Pod[];
  /** Whether rule 4 counts; it does unless given. */
  readonly usesDeletionCost?: boolean;
}

/** A new list, first to be deleted first. */
export function inDeletionOrder(
  pods: readonly corev1.Pod[],
  { nowMs, related = [], usesDeletionCost = true }: DeletionOrderOptions,
): readonly corev1.Pod[] {
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = "" } = pod.spec;
    if (isPodActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1);
  }
  return pods
    .map((pod) => newCandidate(pod, { crowd: onNode.get(pod.spec.nodeName ?? "") ?? 0, usesDeletionCost }))
    .sort((a, b) => compareCandidates(a, b, nowMs))
    .map(({ pod }) => pod);
}

interface Candidate {
  readonly pod: corev1.Pod;
  /** Rules 1 to 5: the lower number goes first. */
  readonly standing: readonly number[];
  readonly isReady: boolean;
  readonly readySince: string | undefined;
  readonly restarts: readonly number[];
}

const phases = ["Pending", "Unknown", "Running"];

interface Standing {
  /** Related active pods on its node. */
  readonly crowd: number;
  readonly usesDeletionCost: boolean;
}

function newCandidate(pod: corev1.Pod, { crowd, usesDeletionCost }: Standing): Candidate {
  const { spec, status, metadata } = pod;
  const isReady = isPodReady(pod);
  // A phase that is none of these counts as Pending.
  const phase = Math.max(0, phases.indexOf(status?.phase ?? ""));
  const cost = usesDeletionCost ? (podDeletionCost(metadata.annotations) ?? 0) : 0;
  return {
    pod,
    standing: [spec.nodeName ? 1 : 0, phase, isReady ? 1 : 0, cost, -crowd],
    isReady,
    readySince: findCondition(status?.conditions, "Ready")?.lastTransitionTime ?? undefined,
    restarts: restartsOf(pod),
  };
}

function compareCandidates(a: Candidate, b: Candidate, nowMs: number): number {
  const byStanding = compareLists(a.standing, b.standing);
  if (byStanding !== 0) return byStanding;
  const byUid = (a.pod.metadata.uid ?? "") < (b.pod.metadata.uid ?? "") ? -1 : 1;
  if (a.isReady && b.isReady) {
    const byReady = compareAges(a.readySince, b.readySince, nowMs);
    if (byReady !== undefined) return byReady || byUid;
  }
  const byRestarts = compareLists(b.restarts, a.restarts);
  if (byRestarts !== 0) return byRestarts;
  const byAge = compareAges(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp, nowMs);
  return byAge === undefined ? 0 : byAge || byUid;
}

/** The younger first; 0 where both are about as old, and undefined where the times are the very same. */
function compareAges(a: string | undefined, b: string | undefined, nowMs: number): number | undefined {
  if (a === undefined || b === undefined) return a === b ? undefined : a === undefined ? -1 : 1;
  if (compareTimes(a, b) === 0) return undefined;
  return ageRank(a, nowMs) - ageRank(b, nowMs);
}

/** Whole powers of two of nanoseconds, as Kubernetes counts; -1 for what is still to come. */
function ageRank(time: string, nowMs: number): number {
  const ageMs = nowMs - parseTime(time);
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1;
}

/** The most restarts of a container, and of a sidecar. */
function restartsOf({ spec, status }: corev1.Pod): readonly number[] {
  const sidecars = new Set(
    (spec.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === "Always" ? [name] : [])),
  );
  const most = (statuses: readonly corev1.ContainerStatus[] = []) =>
    statuses.reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);
  return [
    most(status?.containerStatuses),
    most(status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name))),
  ];
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, its] of a.entries()) {
    const difference = its - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
