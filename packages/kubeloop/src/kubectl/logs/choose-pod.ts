// Which pod of several is read first, and which of its containers: the one that most probably says what a person wants to know. Pure.
import type { corev1 } from "@kubeloop/core/api";
import { KubectlError } from "../kubectl-error.ts";

export const defaultContainerAnnotation = "kubectl.kubernetes.io/default-container";

export interface ChosenContainers {
  readonly names: readonly string[];
  /** For standard error: which one was taken, of which. */
  readonly notice: string;
}

export function containersOf(
  pod: corev1.Pod,
  asked: { readonly container: string | undefined; readonly allContainers: boolean; readonly isQuiet: boolean },
): ChosenContainers {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const inOrder = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  if (asked.allContainers) return { names: inOrder, notice: "" };
  const named = printNames(pod);
  const known = asked.container ?? "";
  if (known !== "") return { names: [known], notice: "" };
  const preferred = pod.metadata.annotations?.[defaultContainerAnnotation] ?? "";
  if (preferred !== "" && inOrder.includes(preferred)) return { names: [preferred], notice: "" };
  const complaint =
    preferred === ""
      ? ""
      : `Default container name ${JSON.stringify(preferred)} not found in pod ${pod.metadata.name}\n`;
  const first = containers[0]?.name ?? "";
  const isChoice = inOrder.length > 1 && !asked.isQuiet;
  const notice = isChoice ? `Defaulted container ${JSON.stringify(first)} out of: ${named}\n` : "";
  return { names: [first], notice: complaint + notice };
}

/** Throws for a container that the pod does not have. */
export function requireContainer(pod: corev1.Pod, name: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  if ([...initContainers, ...containers, ...ephemeralContainers].some((one) => one.name === name)) return;
  throw new KubectlError(`container ${name} is not valid for pod ${pod.metadata.name} out of: ${printNames(pod)}`);
}

function printNames(pod: corev1.Pod): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  return [
    ...containers.map(({ name }) => name),
    ...ephemeralContainers.map(({ name }) => `${name} (ephem)`),
    ...initContainers.map(({ name }) => `${name} (init)`),
  ].join(", ");
}

/** The best pod for logs first: on a node, running, ready, ready for longest, restarted most, oldest. */
export function sortForLogs(pods: readonly corev1.Pod[]): readonly corev1.Pod[] {
  return pods.toSorted((a, b) => {
    const nodes = Number(isUnassigned(a)) - Number(isUnassigned(b));
    return nodes || phaseRank(a) - phaseRank(b) || Number(isReady(b)) - Number(isReady(a)) || byReadiness(a, b);
  });
}

function byReadiness(a: corev1.Pod, b: corev1.Pod): number {
  const readyTimes = isReady(a) && isReady(b) ? compareTimes(readyTime(a), readyTime(b)) : 0;
  return (
    readyTimes || restarts(b) - restarts(a) || compareTimes(a.metadata.creationTimestamp, b.metadata.creationTimestamp)
  );
}

const isUnassigned = (pod: corev1.Pod) => (pod.spec?.nodeName ?? "") === "";
const phaseRank = (pod: corev1.Pod) => ({ Unknown: 1, Pending: 2 })[pod.status?.phase ?? ""] ?? 0;
const readyCondition = (pod: corev1.Pod) => pod.status?.conditions?.find(({ type }) => type === "Ready");
const isReady = (pod: corev1.Pod) => readyCondition(pod)?.status === "True";
const readyTime = (pod: corev1.Pod) => readyCondition(pod)?.lastTransitionTime;
const restarts = (pod: corev1.Pod) =>
  Math.max(0, ...(pod.status?.containerStatuses ?? []).map((one) => one.restartCount));

/** Earlier first; without a time last. */
function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
}
