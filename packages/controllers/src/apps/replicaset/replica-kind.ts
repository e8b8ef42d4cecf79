// What differs between the kinds whose rules are those of ReplicaSets: which resource they are, and how their status is written. The rules
// themselves see a ReplicaSet; whoever reuses them for another kind converts it, and keeps apiVersion, kind and metadata as they are.
import type { appsv1, Resource } from "@kubeloop/core/api";
import { editStatus } from "@kubeloop/core/contract";
import { replicaSets } from "@kubeloop/core/resources";

export interface ReplicaKind {
  /** Read live before an adoption. */
  readonly resource: Resource;
  /** `after` is `before` with another status. */
  editStatus(before: appsv1.ReplicaSet, after: appsv1.ReplicaSet): ReturnType<typeof editStatus>;
}

export const replicaSetKind: ReplicaKind = {
  resource: replicaSets,
  editStatus: (before, after) => editStatus(replicaSets, before, after),
};
