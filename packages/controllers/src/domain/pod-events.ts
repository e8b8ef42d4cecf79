// What an owner says about the pods that a plan made or deleted for it, from the plan's outcome, in Kubernetes' own words.
//
// Nothing is said of a create that failed because the namespace is being deleted, nor of a delete whose pod was gone already: both are as
// they should be. Nothing is said of what was never tried.
import { findStatusCause, isNotFound, type KubernetesObject, splitKey } from "@kubeloop/core/api";
import { type Action, type Outcome, recordEvent } from "@kubeloop/core/contract";
import { pods } from "@kubeloop/core/resources";

/** In the order of the plan. */
export function podEvents(owner: KubernetesObject, outcome: Outcome): readonly Action[] {
  const tell = (type: "Normal" | "Warning", reason: string, message: string) => [
    recordEvent(owner, { type, reason, message }),
  ];
  return outcome.find({ resource: pods }).flatMap(({ action, result }) => {
    if (action.type === "create") {
      if (result.status === "failed" && !isNamespaceTerminating(result.error)) {
        return tell("Warning", "FailedCreate", `Error creating: ${result.error.message}`);
      }
      if (result.status !== "done") return [];
      return tell("Normal", "SuccessfulCreate", `Created pod: ${(result.value as KubernetesObject).metadata.name}`);
    }
    if (action.type !== "delete") return [];
    if (result.status === "done")
      return tell("Normal", "SuccessfulDelete", `Deleted pod: ${splitKey(action.key).name}`);
    if (result.status !== "failed" || isNotFound(result.error)) return [];
    return tell("Warning", "FailedDelete", `Error deleting: ${result.error.message}`);
  });
}

/** The first create or delete of a pod that failed: what the condition ReplicaFailure is about. */
export function findPodFailure(
  outcome: Outcome,
): { readonly reason: "FailedCreate" | "FailedDelete"; readonly message: string } | undefined {
  for (const { action, result } of outcome.find({ resource: pods })) {
    if (result.status !== "failed" || isNamespaceTerminating(result.error)) continue;
    if (action.type === "create") return { reason: "FailedCreate", message: result.error.message };
    if (action.type !== "delete" || isNotFound(result.error)) continue;
    return { reason: "FailedDelete", message: `unable to delete pods: ${result.error.message}` };
  }
  return undefined;
}

const isNamespaceTerminating = (error: Error) => findStatusCause(error, "NamespaceTerminating") !== undefined;
