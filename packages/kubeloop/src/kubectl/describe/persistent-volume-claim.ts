// `describe persistentvolumeclaim`: with the pods that use it.
import type { corev1 } from "@kubeloop/core/api";
import { writeClaim } from "./claim.ts";
import { Description, writeList } from "./description.ts";
import { type ShownEvents, writeEvents } from "./events.ts";
import { printLocalTime, printSince } from "./times.ts";

type Claim = corev1.PersistentVolumeClaim;

export interface ClaimParts {
  /** All pods of its namespace. */
  readonly pods: readonly corev1.Pod[];
  readonly events: ShownEvents;
}

export function describePersistentVolumeClaim(claim: Claim, parts: ClaimParts, nowMs: number): string {
  const { deletionTimestamp } = claim.metadata;
  const to = new Description();
  const isTerminating = deletionTimestamp !== undefined;
  const terminating = `Terminating (lasts ${printSince(deletionTimestamp, nowMs)})`;
  writeClaim(to, claim, "", isTerminating ? terminating : (claim.status?.phase ?? ""));
  writeList(to, "Used By", usersOf(claim, parts.pods).toSorted());
  writeConditions(to, claim.status?.conditions);
  writeEvents(to, parts.events, nowMs);
  return to.toString();
}

/** A pod that mounts it twice is there twice; then the pods that own it, which ephemeral volumes have. */
function usersOf({ metadata }: Claim, pods: readonly corev1.Pod[]): readonly string[] {
  const users = pods.flatMap((pod) =>
    (pod.spec.volumes ?? [])
      .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === metadata.name)
      .map(() => pod),
  );
  const owners = (metadata.ownerReferences ?? [])
    .filter(({ kind }) => kind === "Pod")
    .flatMap(({ uid }) => pods.find((pod) => pod.metadata.uid === uid) ?? []);
  const others = [...new Set(owners)].filter((pod) => !users.includes(pod));
  return [...users, ...others].map((pod) => pod.metadata.name ?? "");
}

function writeConditions(to: Description, conditions: readonly corev1.PersistentVolumeClaimCondition[] = []): void {
  if (conditions.length === 0) return;
  to.line(0, "Conditions:");
  to.line(1, "Type", "Status", "LastProbeTime", "LastTransitionTime", "Reason", "Message");
  to.line(1, "----", "------", "-----------------", "------------------", "------", "-------");
  for (const { type, status, lastProbeTime, lastTransitionTime, reason = "", message } of conditions) {
    const [probe, transition] = [printLocalTime(lastProbeTime), printLocalTime(lastTransitionTime)];
    to.line(1, `${type} `, `${status} `, `${probe} `, `${transition} `, `${reason} `, message);
  }
}
