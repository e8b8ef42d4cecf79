// disruption-controller: reports in the status of a PodDisruptionBudget how many of its pods may be disrupted now. The API server's eviction
// subresource goes by it, takes one off for each eviction, and notes the pod in disruptedPods until the pod is seen to be deleted.
//
// Read this first; then wakes.ts (what wakes whom), observe.ts, expected-pods.ts (how many pods there should be), status.ts (the arithmetic),
// decide.ts and report.ts (the fail-safe), stale-conditions.ts (pods whose disruption never came).
//
//   watches   PodDisruptionBudgets, pods, and the ReplicationControllers, ReplicaSets, Deployments and StatefulSets that pods are controlled by
//   reads     the scale of any other controller, live
//   writes    the status of PodDisruptionBudgets, the condition DisruptionTarget of pods, events
//
// Promises
// - A healthy pod is ready, is not being deleted, and was not evicted in the last two minutes. So many disruptions are allowed as there are
//   more healthy pods than the budget needs; none if nothing is expected.
// - A share of pods, and maxUnavailable, is of the replicas that the pods' controllers want, each controller counted once. Pods without a
//   controller do not count there, which the event UnmanagedPods tells.
// - What cannot be computed or written allows nothing: DisruptionAllowed is False with the reason SyncFailed and the error.
// - The condition DisruptionTarget of a pod that is not being deleted two minutes after it was set is reset to False, unless the kubelet set it.
// - All budgets that select a pod are computed when it changes; upstream picks one of them. Both record MultiplePodDisruptionBudgets. They are
//   also computed when a controller that is cached wants another number of pods, so that no order of events leaves an old count behind.
import { itself, mapped, newController, nothing, queue, statusVerbs, subresourceVerbs } from "@kubeloop/core/contract";
import {
  deployments,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import { podsByLabel } from "../../domain/by-label.ts";
import { decide } from "./decide.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";
import { decidePod, observePod } from "./stale-conditions.ts";
import {
  budgetsOf,
  budgetsOfController,
  budgetsQueue,
  needsLook,
  podsQueue,
  recheckQueue,
  wantsOtherNumber,
} from "./wakes.ts";

export const newDisruptionController = () =>
  newController({
    name: "disruption-controller",
    primary: podDisruptionBudgets,
    // A function, so that discovery is followed: which resource has the scale of a pod's controller.
    watches: () => [
      itself(podDisruptionBudgets),
      mapped(pods, budgetsOf),
      mapped(pods, needsLook, { queue: podsQueue }),
      mapped(replicationControllers, budgetsOfController, { when: wantsOtherNumber }),
      mapped(replicaSets, budgetsOfController, { when: wantsOtherNumber }),
      mapped(deployments, budgetsOfController, { when: wantsOtherNumber }),
      mapped(statefulSets, budgetsOfController, { when: wantsOtherNumber }),
    ],
    indexes: [podsByLabel],
    reads: [subresourceVerbs("*", "scale", "get")],
    writes: [statusVerbs(podDisruptionBudgets, "update"), statusVerbs(pods, "update")],
    queues: {
      [budgetsQueue]: queue({ metricName: "disruption", observe, decide, report }),
      // Keys come here with a delay, and go on to the budgets when it is over.
      [recheckQueue]: queue({
        metricName: "disruption_recheck",
        observe: (key: string) => key,
        decide: (key) => nothing("it is time", { wakes: [{ key, queue: budgetsQueue }] }),
      }),
      [podsQueue]: queue({ metricName: "stale_pod_disruption", observe: observePod, decide: decidePod }),
    },
  });
