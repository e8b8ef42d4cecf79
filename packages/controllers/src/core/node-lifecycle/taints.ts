// The taints that node-lifecycle writes: which ones a node's conditions ask for, and a node with some added and others removed.
//
// Promises: taints of others stay, in their order. Two taints are the same if key and effect are. A taint that is added says when (timeAdded).
import { type corev1, findCondition, printTime } from "@kubeloop/core/api";

type Taint = corev1.Taint;
/** Key and effect: what makes a taint the same one. */
export type TaintId = Pick<Taint, "key" | "effect">;

export const notReady: TaintId = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
export const unreachable: TaintId = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };

const unschedulable = "node.kubernetes.io/unschedulable";

/** Of a condition and its status, the key of the taint that keeps new pods away. */
const keysByCondition: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady.key, Unknown: unreachable.key },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};

const conditionKeys = new Set([
  unschedulable,
  ...Object.values(keysByCondition).flatMap((keys) => Object.values(keys)),
]);

/** What the node's Ready condition says; undefined if it has none. */
export const readyStatusOf = ({ status }: corev1.Node): string | undefined =>
  findCondition(status?.conditions, "Ready")?.status;

export const hasTaint = ({ spec }: corev1.Node, taint: TaintId): boolean =>
  spec?.taints?.some((each) => isSame(each, taint)) === true;

/** The NoExecute taint of a Ready condition that is not True, and the one that it takes the place of. */
export function noExecuteTaints(readyStatus: string | undefined) {
  if (readyStatus === "False") return { wanted: notReady, opposite: unreachable };
  if (readyStatus === "Unknown") return { wanted: unreachable, opposite: notReady };
  return undefined;
}

/**
 * The node with the taints that follow from its conditions at once. NoSchedule: all of its conditions and of spec.unschedulable, and no others of
 * ours. NoExecute: none if it is ready, and not the one of another Ready condition. Returns the very node if it has them already.
 */
export function withConditionTaints(node: corev1.Node, nowMs: number): corev1.Node {
  const { taints = [] } = node.spec ?? {};
  const wanted = conditionTaintsOf(node);
  const isSurplus = (taint: TaintId) =>
    taint.effect === "NoSchedule" && conditionKeys.has(taint.key) && !wanted.some((each) => isSame(each, taint));
  const execute = noExecuteChange(node);
  return withTaints(
    node,
    { add: [...wanted, ...execute.add], remove: [...taints.filter(isSurplus), ...execute.remove] },
    nowMs,
  );
}

/** A node that is not ready and not tainted gets its taint from its zone, in its turn; one that is tainted has had its turn. */
function noExecuteChange(node: corev1.Node): Required<TaintChange> {
  const readyStatus = readyStatusOf(node);
  if (readyStatus === "True") return { add: [], remove: [notReady, unreachable] };
  const taints = noExecuteTaints(readyStatus);
  if (taints === undefined || !hasTaint(node, taints.opposite)) return { add: [], remove: [] };
  return { add: [taints.wanted], remove: [taints.opposite] };
}

export interface TaintChange {
  readonly add?: readonly TaintId[];
  readonly remove?: readonly TaintId[];
}

/** Returns the very node if nothing changes. A taint that is there and is to be added stays as it is. */
export function withTaints(node: corev1.Node, { add = [], remove = [] }: TaintChange, nowMs: number): corev1.Node {
  const { taints = [], ...spec } = node.spec ?? {};
  const kept = taints.filter((taint) => !remove.some((each) => isSame(each, taint)));
  const added = add.filter((taint) => !kept.some((each) => isSame(each, taint)));
  if (kept.length === taints.length && added.length === 0) return node;
  const after = [...kept, ...added.map(({ key, effect }) => ({ key, effect, timeAdded: printTime(nowMs) }))];
  return { ...node, spec: { ...spec, ...(after.length === 0 ? {} : { taints: after }) } };
}

function conditionTaintsOf({ spec, status }: corev1.Node): readonly TaintId[] {
  const keys = (status?.conditions ?? []).flatMap(
    (condition) => keysByCondition[condition.type]?.[condition.status] ?? [],
  );
  if (spec?.unschedulable === true) keys.push(unschedulable);
  return [...new Set(keys)].map((key) => ({ key, effect: "NoSchedule" }));
}

const isSame = (one: TaintId, other: TaintId) => one.key === other.key && one.effect === other.effect;
