// The core of node lifecycle in the contract: a node that was not renewed for 50 seconds, by our own clock, is told to be unknown; nodes
// that are not ready are tainted, zone by zone, one at a time, the slower the more of a zone is down.
//
// Watches nodes. Writes their taints and their status.
import { type corev1, isConditionTrue, keyOf } from "@kubeloop/core/api";
import {
  cached,
  type DecideContext,
  type Decision,
  editObject,
  editStatus,
  type Learned,
  newController,
  nothing,
  plan,
  queue,
  statusVerbs,
  type View,
  verbs,
} from "@kubeloop/core/contract";
import { nodes } from "@kubeloop/core/resources";
import { setPodCondition } from "../domain/conditions.ts";

const graceMs = 50_000;
const unreachable = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
const unknown = {
  type: "Ready",
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
} as const;

/** When a node's renewal was seen to change, and when a node of a zone was last tainted. */
class NodeMemory {
  readonly renewals = new Map<string, { readonly renewed: string; readonly seenAtMs: number }>();
  readonly taintedAtMs = new Map<string, number>();

  silentMs(node: corev1.Node, nowMs: number): number {
    const last = this.renewals.get(keyOf(node));
    return last?.renewed === renewedOf(node) ? nowMs - last.seenAtMs : 0;
  }
}

interface AllSeen {
  readonly all: readonly corev1.Node[];
  readonly silent: readonly corev1.Node[];
}

function observeAll(_key: string, { snapshot, model, nowMs }: View<NodeMemory>): AllSeen {
  const all = snapshot.list(nodes);
  return { all, silent: all.filter((node) => model.silentMs(node, nowMs) >= graceMs) };
}

function decideAll({ all, silent }: AllSeen, { nowMs }: DecideContext): Decision {
  const edits = silent.map((node) => {
    const conditions = setPodCondition(node.status?.conditions, unknown, nowMs);
    return editStatus(nodes, node, { ...node, status: { ...node.status, conditions } });
  });
  const wakes = [...new Set(all.map(zoneOf))].map((key) => ({ queue: "zones", key }));
  return plan(`${silent.length} are silent`, [edits], { wakes });
}

function learnRenewals({ renewals }: NodeMemory, { all }: AllSeen, { nowMs }: Learned) {
  for (const node of all) {
    const renewed = renewedOf(node);
    if (renewals.get(keyOf(node))?.renewed !== renewed) renewals.set(keyOf(node), { renewed, seenAtMs: nowMs });
  }
  return [];
}

interface ZoneSeen {
  readonly zone: string;
  readonly sick: readonly corev1.Node[];
  readonly everyMs: number;
  readonly nextAtMs: number;
}

function observeZone(zone: string, { snapshot, model }: View<NodeMemory>): ZoneSeen {
  const its = snapshot.list(nodes).filter((node) => zoneOf(node) === zone);
  const notReady = its.filter(({ status }) => !isConditionTrue(status?.conditions, "Ready"));
  const isDisrupted = notReady.length > 2 && notReady.length / its.length >= 0.55;
  const everyMs = isDisrupted ? 100_000 : 10_000;
  const nextAtMs = (model.taintedAtMs.get(zone) ?? Number.NEGATIVE_INFINITY) + everyMs;
  return { zone, sick: notReady.filter((node) => !isTainted(node)), everyMs, nextAtMs };
}

function decideZone({ sick: [first], everyMs, nextAtMs }: ZoneSeen, { nowMs }: DecideContext): Decision {
  if (first === undefined) return nothing("is well");
  if (nextAtMs > nowMs) return nothing("not so fast", { requeueAfterMs: nextAtMs - nowMs });
  const taints = [...(first.spec?.taints ?? []), unreachable];
  const edit = editObject(nodes, first, { ...first, spec: { ...first.spec, taints } });
  return plan(`taint ${first.metadata.name}`, [[edit]], { requeueAfterMs: everyMs });
}

export const nodeLifecycleController = newController<NodeMemory>({
  name: "node-lifecycle-controller",
  watches: [cached(nodes)],
  writes: [verbs(nodes, "patch"), statusVerbs(nodes, "patch")],
  newModel: () => new NodeMemory(),
  absorb({ renewals }, { type, object }) {
    if (type === "delete") renewals.delete(keyOf(object));
    return [];
  },
  queues: {
    monitor: queue({ everyMs: 5000, observe: observeAll, decide: decideAll, learn: learnRenewals }),
    zones: queue({
      observe: observeZone,
      decide: decideZone,
      reserve({ taintedAtMs }: NodeMemory, { zone }, { plan: { steps }, nowMs }) {
        if (steps.length > 0) taintedAtMs.set(zone, nowMs);
      },
      learn({ taintedAtMs }, { zone }, { outcome }) {
        if (outcome.isAnyRefused) taintedAtMs.delete(zone);
        return [];
      },
    }),
  },
});

const zoneOf = ({ metadata }: corev1.Node) => metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
const renewedOf = ({ metadata }: corev1.Node) => metadata.annotations?.["renewed"] ?? "";
export const isTainted = ({ spec }: corev1.Node) => spec?.taints?.some(({ key }) => key === unreachable.key) === true;
