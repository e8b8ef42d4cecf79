// A rollback that is asked for by annotation, as old clients do: the template of the set with that revision becomes the deployment's again.
// (kubectl rollout undo writes the template itself.) Whatever comes of it, the annotation is removed.
import { type appsv1, quote } from "@kubeloop/core/api";
import { type Action, editObject, recordEvent } from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { isSameTemplate, withoutHash } from "../../domain/pod-template.ts";
import { keptAnnotations, lastRevision, revisionOf, rollbackAnnotation, sharedAnnotations } from "./revisions.ts";

type Set = appsv1.ReplicaSet;

/** In this order. `asked` is 0 for the last revision before the newest one. */
export function rollBack(
  deployment: appsv1.Deployment,
  sets: readonly Set[],
  asked: bigint,
): readonly (Action | undefined)[] {
  const revision = asked === 0n ? lastRevision(sets) : asked;
  if (revision === 0n) return giveUp(deployment, "DeploymentRollbackRevisionNotFound", "Unable to find last revision.");
  const set = sets.find((each) => revisionOf(each) === revision);
  if (set === undefined) {
    const message = "Unable to find the revision to rollback to.";
    return giveUp(deployment, "DeploymentRollbackRevisionNotFound", message);
  }
  const name = quote(deployment.metadata.name ?? "");
  if (isSameTemplate(deployment.spec?.template ?? none, set.spec?.template ?? none)) {
    const message = `The rollback revision contains the same template as current deployment ${name}`;
    return giveUp(deployment, "DeploymentRollbackTemplateUnchanged", message);
  }
  const message = `Rolled back deployment ${name} to revision ${revision}`;
  return [
    editObject(deployments, deployment, rolledBack(deployment, set)),
    recordEvent(deployment, { type: "Normal", reason: "DeploymentRollback", message }),
  ];
}

const none = { spec: { containers: [] } };

function giveUp(deployment: appsv1.Deployment, reason: string, message: string): readonly (Action | undefined)[] {
  return [
    recordEvent(deployment, { type: "Warning", reason, message }),
    editObject(deployments, deployment, withoutRequest(deployment)),
  ];
}

function withoutRequest(deployment: appsv1.Deployment): appsv1.Deployment {
  const { [rollbackAnnotation]: _asked, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

/** With the annotations that it had at that revision: they say what that revision was about. */
function rolledBack(deployment: appsv1.Deployment, set: Set): appsv1.Deployment {
  const annotations = {
    ...keptAnnotations(deployment.metadata.annotations),
    ...sharedAnnotations(set.metadata.annotations),
  };
  const { spec } = deployment;
  const template = set.spec?.template;
  if (spec === undefined || template === undefined) return withoutRequest(deployment);
  return withoutRequest({
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
    spec: { ...spec, template: withoutHash(template) },
  });
}
