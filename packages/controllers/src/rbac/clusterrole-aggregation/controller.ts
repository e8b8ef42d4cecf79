// clusterrole-aggregation-controller: gives a ClusterRole with an aggregationRule the rules of all ClusterRoles that its selectors match.
//
//   watches   ClusterRoles
//   writes    the rules of ClusterRoles that have an aggregationRule
//
// Promises
// - The rules are those of the matching roles, selector by selector, the roles of each by name, each rule once; never its own.
// - They are written only if they differ, by server-side apply with force, so that who else manages the role keeps the other fields. A role
//   that was deleted meanwhile is not made again: its uid is a precondition (upstream makes one without an aggregationRule).
// - A role that selects nothing has no rules, also if somebody else has written some: what Kubernetes documents. (Upstream's apply leaves
//   an empty list out, so those rules stay there.)
// - A server that has no server-side apply is sent an edit.
import { itself, newController, queue, verbs } from "@kubeloop/core/contract";
import { clusterRoles } from "@kubeloop/core/resources";
import { decide } from "./decide.ts";
import { aggregatedRoles, isAggregated, rolesByLabel, rolesThatSelect } from "./indexes.ts";
import { ApplySupport, learn } from "./model.ts";
import { observe } from "./observe.ts";

export interface ClusterRoleAggregationSettings {
  /** How many roles are worked on at a time: upstream's is 5, which no flag sets. */
  readonly workers?: number;
}

export const newClusterRoleAggregationController = ({ workers = 5 }: ClusterRoleAggregationSettings = {}) =>
  newController<ApplySupport>({
    name: "clusterrole-aggregation-controller",
    primary: clusterRoles,
    watches: [itself(clusterRoles, { when: ({ object }) => isAggregated(object) }), rolesThatSelect],
    indexes: [aggregatedRoles, rolesByLabel],
    writes: [verbs(clusterRoles, "patch", "update")],
    newModel: () => new ApplySupport(),
    queues: { roles: queue({ metricName: "ClusterRoleAggregator", workers, observe, decide, learn }) },
  });
