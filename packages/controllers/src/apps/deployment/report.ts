// The status of a deployment after a plan was carried out, its revision beside it: upstream writes both at once, through the status.
import { type appsv1, isAlreadyExists, isControlledBy, quote } from "@kubeloop/core/api";
import {
  type Action,
  type DecideContext,
  editStatus,
  type Outcome,
  type Plan,
  plan,
  recordEvent,
} from "@kubeloop/core/contract";
import { deployments } from "@kubeloop/core/resources";
import { isBeingDeleted } from "../../domain/claim.ts";
import { isSameTemplate } from "../../domain/pod-template.ts";
import type { Rollout } from "./decide.ts";
import type { Observed } from "./observe.ts";
import {
  countsOf,
  deadlineSecondsOf,
  progressCheckInMs,
  withAvailability,
  withPause,
  withProgress,
  withRolloutConditions,
} from "./progress.ts";
import { revisionAnnotation } from "./revisions.ts";
import { terminatingOf, wantedBy } from "./sizes.ts";

type Set = appsv1.ReplicaSet;
type Status = appsv1.DeploymentStatus;

export interface ReportOptions {
  readonly countsTerminating: boolean;
}

export const newReport =
  ({ countsTerminating }: ReportOptions) =>
  (observed: Observed, outcome: Outcome<Rollout>, { nowMs }: DecideContext): Plan | undefined => {
    const { notes } = outcome;
    if (notes === undefined) return undefined;
    const { deployment } = observed;
    const base = isBeingDeleted(deployment) ? (deployment.status ?? {}) : withPause(deployment, nowMs);
    const { creation } = notes;
    if (creation !== undefined) {
      const failure = outcome.failureOf(creation);
      if (failure !== undefined) return reportFailedCreate(observed, { base, creation, failure, nowMs });
      // The namespace is being deleted.
      if (outcome.valueOf(creation) === undefined) return undefined;
    }
    // What was decided after the step that failed did not happen.
    if (outcome.hasFailed) return undefined;
    const status = withNewSet(base, { deployment, rollout: notes, nowMs });
    if (notes.reports === "revision") return plan("revision", [[editRevision(deployment, status, notes)]]);
    const current = { ...deployment, status };
    const after = renewed(current, notes, { countsTerminating, nowMs });
    const requeueAfterMs = notes.reports === "all" ? progressCheckInMs(deployment, after, nowMs) : undefined;
    return plan("status", [[editRevision(deployment, after, notes)]], { requeueAfterMs, isRoutine: true });
  };

interface Renewal extends ReportOptions {
  readonly nowMs: number;
}

function renewed(deployment: appsv1.Deployment, rollout: Rollout, { countsTerminating, nowMs }: Renewal): Status {
  const { newSet, oldSets, reports } = rollout;
  const sets = [...oldSets, newSet];
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const terminatingReplicas = countsTerminating ? terminatingOf(sets) : undefined;
  const counts = withAvailability(
    deployment,
    {
      observedGeneration: deployment.metadata.generation ?? 0,
      ...countsOf(rollout, wantedBy(sets)),
      ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
      ...(collisionCount === undefined ? {} : { collisionCount }),
      conditions,
    },
    nowMs,
  );
  if (reports === "counts") return counts;
  return withRolloutConditions(counts, { deployment, newSet, oldSets, nowMs });
}

interface NewSetFacts {
  readonly deployment: appsv1.Deployment;
  readonly rollout: Rollout;
  readonly nowMs: number;
}

/** Says where the newest set comes from. */
function withNewSet(status: Status, { deployment, rollout, nowMs }: NewSetFacts): Status {
  const { newSet, creation } = rollout;
  if (newSet === undefined || deadlineSecondsOf(deployment) === undefined) return status;
  const name = quote(newSet.metadata.name ?? "");
  if (creation !== undefined) {
    const said = { reason: "NewReplicaSetCreated", message: `Created new replica set ${name}` };
    return withProgress(status, "True", said, nowMs);
  }
  if (status.conditions?.some(({ type }) => type === "Progressing") === true) return status;
  const said = { reason: "FoundNewReplicaSet", message: `Found new replica set ${name}` };
  return withProgress(status, "True", said, nowMs);
}

function editRevision(deployment: appsv1.Deployment, status: Status, { newSet }: Pick<Rollout, "newSet">) {
  const revision = newSet?.metadata.annotations?.[revisionAnnotation];
  const { annotations } = deployment.metadata;
  const metadata =
    newSet === undefined || revision === annotations?.[revisionAnnotation]
      ? deployment.metadata
      : { ...deployment.metadata, annotations: { ...annotations, [revisionAnnotation]: revision ?? "" } };
  return editStatus(deployments, deployment, { ...deployment, metadata, status }, { includesAnnotations: true });
}

interface FailedCreate {
  readonly base: Status;
  readonly creation: Action<Set>;
  readonly failure: Error;
  readonly nowMs: number;
}

function reportFailedCreate(observed: Observed, { base, creation, failure, nowMs }: FailedCreate): Plan | undefined {
  const { deployment, setNamed } = observed;
  const name = creation.type === "create" ? (creation.object.metadata.name ?? "") : "";
  if (isAlreadyExists(failure)) {
    const existing = setNamed(name);
    // Not in the cache yet, or our own: the next look finds it.
    if (existing === undefined || isOwn(deployment, existing)) return undefined;
    const status = { ...base, collisionCount: (base.collisionCount ?? 0) + 1 };
    return plan("its name is taken", [[editStatus(deployments, deployment, { ...deployment, status })]]);
  }
  const message = `Failed to create new replica set ${quote(name)}: ${failure.message}`;
  const said = { reason: "ReplicaSetCreateError", message };
  const hasDeadline = deadlineSecondsOf(deployment) !== undefined;
  const status = hasDeadline ? withProgress(base, "False", said, nowMs) : base;
  return plan("cannot be created", [
    [
      recordEvent(deployment, { type: "Warning", ...said }),
      editStatus(deployments, deployment, { ...deployment, status }),
    ],
  ]);
}

function isOwn(deployment: appsv1.Deployment, set: Set): boolean {
  const { spec } = deployment;
  if (spec === undefined || set.spec?.template === undefined) return false;
  return isControlledBy(set, deployment) && isSameTemplate(spec.template, set.spec.template);
}
