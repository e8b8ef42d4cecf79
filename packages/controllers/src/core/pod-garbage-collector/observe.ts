// What one sweep of the pod garbage collector looks at: pods that have ended or are being deleted, and nodes that pods name and nobody has.
import type { corev1 } from "@kubeloop/core/api";
import { defineIndex, type View } from "@kubeloop/core/contract";
import { nodes, pods } from "@kubeloop/core/resources";
import { podsByNode } from "../../domain/pods-by-node.ts";
import type { SeenNodes } from "./model.ts";

export interface Observed {
  readonly ended: readonly corev1.Pod[];
  readonly terminating: readonly TerminatingPod[];
  readonly missing: readonly MissingNode[];
}

export interface TerminatingPod {
  readonly pod: corev1.Pod;
  /** Undefined if it has none, or none that is known. */
  readonly node: corev1.Node | undefined;
}

export interface MissingNode {
  readonly name: string;
  /** When a sweep first missed it. */
  readonly sinceMs: number;
  readonly pods: readonly corev1.Pod[];
}

const running: readonly (string | undefined)[] = [undefined, "", "Pending", "Running", "Unknown"];

export const collectable = defineIndex("pods-to-collect", pods, ({ metadata, status }) => [
  ...(running.includes(status?.phase) ? [] : ["ended"]),
  ...(metadata.deletionTimestamp === undefined ? [] : ["terminating"]),
]);

export function observe(_sweep: string, { snapshot, model, nowMs }: View<SeenNodes>): Observed {
  return {
    ended: snapshot.byIndex(collectable, "ended"),
    terminating: snapshot.byIndex(collectable, "terminating").map((pod) => {
      const name = pod.spec?.nodeName ?? "";
      return { pod, node: name === "" ? undefined : snapshot.get(nodes, name) };
    }),
    missing: [...model.named()]
      .filter((name) => snapshot.get(nodes, name) === undefined)
      .map((name) => ({ name, sinceMs: model.missingSince(name) ?? nowMs, pods: snapshot.byIndex(podsByNode, name) })),
  };
}
