// deployment-controller: makes a ReplicaSet of each template that a Deployment has, moves its pods from the old sets to the newest one, and
// reports in its status how that goes.
//
// Read this first; then observe.ts (what is looked at), decide.ts (what is done about it), report.ts (what is said about it).
//
//   watches   Deployments, the ReplicaSets they control, ReplicaSets without a controller that their selectors match, and the deletion of pods
//   writes    ReplicaSets (create, scale, annotate, adopt, release, delete), Deployments (rollback by annotation) and their status, events
//
// Promises
// - The newest set is the oldest one whose template is equal in meaning to the deployment's, whatever its name and hash: who takes a
//   deployment over from another manager rolls nothing out. Sets are named by the hash that upstream gives their template.
// - RollingUpdate never has more pods than replicas + maxSurge by its own doing, nor fewer available ones than replicas − maxUnavailable.
//   Recreate begins when no old pod runs any more.
// - A change of size in the midst of a rollout is shared out among the sets in proportion. While it is paused, a deployment is scaled, but
//   nothing is rolled out.
// - A set whose name is taken by another one raises collisionCount, and is named anew.
// - Of the old sets without pods, revisionHistoryLimit are kept.
// - A deployment that is being deleted only gets its status: its sets are left to the garbage collector.
import { type appsv1, controllerOf, objectKeyOf } from "@kubeloop/core/api";
import { keyed, mapped, owned, type Snapshot, statusVerbs, subresourceVerbs, verbs } from "@kubeloop/core/contract";
import { deployments, pods, replicaSets } from "@kubeloop/core/resources";
import { adoptable } from "../../domain/adoptable.ts";
import { childrenOf, podsByController, replicaSetsByController } from "../../domain/by-controller.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { newReport } from "./report.ts";

export interface DeploymentSettings {
  /** How many deployments are worked on at a time: `--concurrent-deployment-syncs`. */
  readonly workers?: number;
  /** Whether the status counts terminating pods: feature gate DeploymentReplicaSetTerminatingReplicas. */
  readonly countsTerminating?: boolean;
}

const selectorOf = ({ spec }: appsv1.Deployment) => spec?.selector;

export const newDeploymentController = ({ workers = 5, countsTerminating = true }: DeploymentSettings = {}) =>
  keyed({
    name: "deployment-controller",
    // The name that upstream's workqueue metrics have, for dashboards.
    metricName: "deployment",
    workers,
    // As upstream: the first try and fifteen more.
    retry: { maxTries: 16 },
    primary: deployments,
    watches: [
      owned(replicaSets),
      adoptable(replicaSets, deployments, selectorOf),
      mapped(pods, recreatedBy, { when: ({ type }) => type === "delete" }),
    ],
    indexes: [replicaSetsByController, podsByController],
    // Before an adoption.
    reads: [verbs(deployments, "get")],
    // Events need no entry. `finalizers` is written by nobody here: who may not update it may not make sets that block a deployment's deletion.
    writes: [
      verbs(replicaSets, "create", "delete", "patch"),
      verbs(deployments, "update"),
      statusVerbs(deployments, "update"),
      subresourceVerbs(deployments, "finalizers", "update"),
    ],
    observe,
    decide,
    report: newReport({ countsTerminating }),
  });

/** The deployment with the strategy Recreate whose last pod this was: it may go on. */
function recreatedBy(pod: Parameters<typeof controllerOf>[0], snapshot: Snapshot): readonly string[] {
  const { namespace = "" } = pod.metadata;
  const byPod = controllerOf(pod);
  if (byPod?.kind !== "ReplicaSet") return [];
  const set = snapshot.get(replicaSets, objectKeyOf(namespace, byPod.name));
  if (set === undefined || set.metadata.uid !== byPod.uid) return [];
  const bySet = controllerOf(set);
  if (bySet?.kind !== "Deployment") return [];
  const key = objectKeyOf(namespace, bySet.name);
  const deployment = snapshot.get(deployments, key);
  if (deployment?.metadata.uid !== bySet.uid || deployment.spec?.strategy?.type !== "Recreate") return [];
  const sets = childrenOf(snapshot, replicaSetsByController, deployment);
  return sets.some((each) => childrenOf(snapshot, podsByController, each).length > 0) ? [] : [key];
}
