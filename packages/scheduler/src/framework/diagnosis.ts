// Why a pod could not be placed: the refusal of each node, and the message that goes into the pod's condition and event. The texts are upstream's,
// byte for byte, because people and programs search for them.
import type { Refusal, RefusalCode } from "./plugin.ts";

export class Diagnosis {
  /** The refusals of the nodes that were looked at. */
  readonly refusals = new Map<string, Refusal>();
  /** What holds for all other nodes. Undefined: they are unresolvable, and nothing is said about them. */
  absent: Omit<Refusal, "plugin"> | undefined;
  /** What PreFilter said, if it refused every node. */
  preFilterMessage: string | undefined;
  /** Every plugin that refused something. Only events that these ask for wake the pod. */
  readonly rejectingPlugins = new Set<string>();

  refuse(nodeName: string, refusal: Refusal): void {
    this.refusals.set(nodeName, refusal);
    this.rejectingPlugins.add(refusal.plugin);
  }

  codeOf(nodeName: string): RefusalCode {
    return (this.refusals.get(nodeName) ?? this.absent)?.code ?? "UnschedulableAndUnresolvable";
  }
}

/** What the message is made of. */
export interface Refused {
  readonly refusals: ReadonlyMap<string, Refusal>;
  readonly absent: Omit<Refusal, "plugin"> | undefined;
  readonly preFilterMessage: string | undefined;
}

export interface MessageOptions {
  readonly allNodes: number;
  /** What PostFilter, that is preemption, said. */
  readonly postFilterMessage?: string | undefined;
}

/** Returns `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` and the like. Items are sorted as text, not by number. */
export function printDiagnosis(
  { refusals, absent, preFilterMessage }: Refused,
  { allNodes, postFilterMessage = "" }: MessageOptions,
): string {
  let message = `0/${allNodes} nodes are available:`;
  if (preFilterMessage !== undefined) message += ` ${preFilterMessage}.`;
  else {
    const counts = new Map<string, number>();
    const count = (reason: string, by: number) => counts.set(reason, (counts.get(reason) ?? 0) + by);
    for (const { reasons } of refusals.values()) for (const reason of reasons) count(reason, 1);
    const absentNodes = allNodes - refusals.size;
    if (absentNodes > 0) for (const reason of absent?.reasons ?? []) count(reason, absentNodes);
    const items = [...counts].map(([reason, number]) => `${number} ${reason}`).sort(byBytes);
    if (items.length > 0) message += ` ${items.join(", ")}.`;
  }
  return postFilterMessage === "" ? message : `${message} ${postFilterMessage}`;
}

/** The order of Go's strings. Reasons are ASCII, where code units and bytes agree. */
function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
