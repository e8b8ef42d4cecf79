// A ReplicationController as the rules of ReplicaSets see it, and the status that they decide on as an edit of the ReplicationController.
//
// Promises: apiVersion, kind and metadata stay, so that pods get the right owner and events the right object; the same object is converted once,
// so that its selector is parsed once; the edit is made on the very object that was converted, so that nothing is lost on the way back.
import type { appsv1, corev1, metav1 } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import { editStatus } from "@kubeloop/core/contract";
import { replicationControllers } from "@kubeloop/core/resources";
import type { ReplicaKind } from "../../apps/replicaset/replica-kind.ts";

const convertedFrom = new WeakMap<corev1.ReplicationController, appsv1.ReplicaSet>();
const originalOf = new WeakMap<appsv1.ReplicaSet, corev1.ReplicationController>();

export function toReplicaSet(controller: corev1.ReplicationController): appsv1.ReplicaSet {
  const known = convertedFrom.get(controller);
  if (known !== undefined) return known;
  const { spec, ...rest } = controller;
  // The types of both kinds meet here: a ReplicationController's status has all fields that the rules read.
  const converted = { ...rest, ...(isGiven(spec) ? { spec: convertSpec(spec) } : {}) } as unknown as appsv1.ReplicaSet;
  convertedFrom.set(controller, converted);
  originalOf.set(converted, controller);
  return converted;
}

/** One that is absent stays so, and matches nothing. */
function convertSpec({ selector, ...rest }: corev1.ReplicationControllerSpec) {
  return isGiven(selector) ? { ...rest, selector: { matchLabels: selector } } : rest;
}

export const selectorOf = (controller: corev1.ReplicationController): metav1.LabelSelector | undefined =>
  toReplicaSet(controller).spec?.selector;

export const replicationControllerKind: ReplicaKind = {
  resource: replicationControllers,
  editStatus(before, { status }) {
    const original = originalOf.get(before);
    if (original === undefined) {
      throw new KubeloopError("only what was converted can be written back", { reason: "Invalid", retry: "never" });
    }
    return editStatus(replicationControllers, original, {
      ...original,
      ...(status === undefined ? {} : { status: status as corev1.ReplicationControllerStatus }),
    });
  },
};

/** Some clients print null for what is not there. */
const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
