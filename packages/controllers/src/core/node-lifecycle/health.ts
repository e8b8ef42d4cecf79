// When a node was last heard of, by our own clock: clocks of nodes may differ. A node is heard of when the heartbeat of its Ready condition or
// the renewTime of its lease is another one than before. Who is silent for longer than the grace period is unknown.
import { type coordinationv1, type corev1, findCondition, parseTime, printTime } from "@kubeloop/core/api";

export interface Health {
  /** Of the node: one that was made anew under the name is another node. */
  readonly uid: string | undefined;
  /** When it was last heard of; of a node without a Ready condition, when it was created. */
  readonly heardAtMs: number;
  readonly hasReady: boolean;
  readonly heartbeat: string | undefined;
  readonly renewedAtMs: number | undefined;
}

export interface Signals {
  readonly node: corev1.Node;
  readonly lease: coordinationv1.Lease | undefined;
  readonly nowMs: number;
}

/** What is known of the node after another look at it. A node that is seen for the first time and has a Ready condition is heard of now. */
export function healthAfter(known: Health | undefined, { node, lease, nowMs }: Signals): Health {
  const { uid, creationTimestamp } = node.metadata;
  const before = known?.uid === uid ? known : undefined;
  const ready = findCondition(node.status?.conditions, "Ready");
  const heartbeat = ready?.lastHeartbeatTime;
  const createdMs = creationTimestamp === undefined ? nowMs : parseTime(creationTimestamp);
  const heardAtMs = before?.heardAtMs ?? (ready === undefined ? createdMs : nowMs);
  const isHeard = ready !== undefined && (before?.hasReady !== true || before.heartbeat !== heartbeat);
  const renewTime = lease?.spec?.renewTime;
  const renewedAtMs = renewTime === undefined ? undefined : parseTime(renewTime);
  const isFirstLease = lease !== undefined && before?.renewedAtMs === undefined;
  const isRenewed = isFirstLease || (renewedAtMs !== undefined && renewedAtMs > (before?.renewedAtMs ?? 0));
  return {
    uid,
    heardAtMs: isHeard || isRenewed ? nowMs : heardAtMs,
    hasReady: ready !== undefined,
    heartbeat,
    // Never back in time.
    renewedAtMs: isRenewed ? (renewedAtMs ?? 0) : before?.renewedAtMs,
  };
}

export interface GracePeriods {
  /** Of a node that has reported before. */
  readonly monitorGraceMs: number;
  /** Of a node without a Ready condition. */
  readonly startupGraceMs: number;
}

export function isSilent({ heardAtMs, hasReady }: Health, nowMs: number, grace: GracePeriods): boolean {
  return nowMs - heardAtMs > (hasReady ? grace.monitorGraceMs : grace.startupGraceMs);
}

/** NetworkUnavailable is not the kubelet's: whoever sets it goes on. */
const kubeletConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The silent node with conditions that say so. Returns the very node if its Ready condition says so already. */
export function withUnknownConditions(node: corev1.Node, nowMs: number): corev1.Node {
  const before = node.status?.conditions ?? [];
  if (findCondition(before, "Ready")?.status === "Unknown") return node;
  const now = printTime(nowMs);
  const stopped = before.map((condition) =>
    kubeletConditions.includes(condition.type) && condition.status !== "Unknown"
      ? {
          ...condition,
          status: "Unknown",
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
          lastTransitionTime: now,
        }
      : condition,
  );
  const never = kubeletConditions
    .filter((type) => findCondition(before, type) === undefined)
    .map((type) => ({
      type,
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      ...(node.metadata.creationTimestamp === undefined ? {} : { lastHeartbeatTime: node.metadata.creationTimestamp }),
      lastTransitionTime: now,
    }));
  return { ...node, status: { ...node.status, conditions: [...stopped, ...never] } };
}
