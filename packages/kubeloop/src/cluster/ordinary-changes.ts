// Which of the changes that lead back to a snapshot controllers can meet while they run on.
//
// That an object is deleted at once is ordinary. That a deleted one comes back with its old uid is not, nor that one has an older generation than before:
// controllers remember both, so those changes are refused. Of what is in both states, nodes may change back, and leases and events, which no
// controller remembers anything of. Heartbeats stay, because time goes on.
import type { RevertChoice, RevertedObject } from "@kubeloop/apiserver";
import type { KubernetesObject } from "@kubeloop/core/api";
import { deepEqual } from "@kubeloop/core/base";
import { nodeLeaseNamespace } from "./node-specs.ts";

const heartbeatCollection = "coordination.k8s.io/leases";
const unremembered: ReadonlySet<string> = new Set([heartbeatCollection, "events", "events.k8s.io/events"]);

export function chooseOrdinary({ collection, before, after }: RevertedObject): RevertChoice {
  if (after === undefined) return "revert";
  if (before === undefined || before.metadata.uid !== after.metadata.uid)
    return unremembered.has(collection) ? "revert" : "refuse";
  if (collection === heartbeatCollection && after.metadata.namespace === nodeLeaseNamespace) return "keep";
  if (collection === "nodes") return deepEqual(withoutHeartbeat(before), withoutHeartbeat(after)) ? "keep" : "revert";
  return unremembered.has(collection) ? "revert" : "refuse";
}

/** Who wrote it when is part of a heartbeat, too. */
function withoutHeartbeat({ metadata, ...node }: KubernetesObject): unknown {
  const { resourceVersion, managedFields, ...others } = metadata;
  const { status, ...rest } = node as { readonly status?: { readonly conditions?: readonly object[] } };
  const conditions = status?.conditions?.map((each) => ({ ...each, lastHeartbeatTime: undefined }));
  return { ...rest, metadata: others, status: { ...status, conditions } };
}
