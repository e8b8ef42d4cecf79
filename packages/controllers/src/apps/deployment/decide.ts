// The rules of the deployment controller: which ReplicaSets are adopted, released, created, scaled and deleted. How fast a rollout goes is in
// rolling-update.ts and recreate.ts, what becomes of another size in scale.ts.
import { type appsv1, isEverything, quote } from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import {
  type Action,
  create,
  type DecideContext,
  type Decision,
  editObject,
  editStatus,
  inOrder,
  type Plan,
  plan,
  recordEvent,
  removeObject,
  unfinished,
} from "@kubeloop/core/contract";
import { deployments, replicaSets } from "@kubeloop/core/resources";
import { claimChildren, decideAdoption, isBeingDeleted } from "../../domain/claim.ts";
import { parseSelector } from "../../domain/selectors.ts";
import { asNewest, findNewSet, makeNewSet } from "./new-set.ts";
import type { Observed } from "./observe.ts";
import { isResuming } from "./progress.ts";
import { areOldPodsRunning, stopOldSets } from "./recreate.ts";
import { compareRevision, revisionAnnotation, rollbackRevisionOf, sizeAnnotations } from "./revisions.ts";
import { rollBack } from "./rollback.ts";
import { newSetSize, rollSets } from "./rolling-update.ts";
import { isScaled, type Resize, scaleSets } from "./scale.ts";
import { isComplete, isRollingUpdate, replicasOf } from "./sizes.ts";

type Set = appsv1.ReplicaSet;

/** What the status is computed from, for `report`. */
export interface Rollout {
  /**
   * How much of the status is renewed: all of it; all but how the rollout goes, while it does not (paused, scaled, being deleted); or only
   * the revision, before a rollback.
   */
  readonly reports: "all" | "counts" | "revision";
  /** As the plan leaves it. Undefined when there is none, and none is made yet. */
  readonly newSet: Set | undefined;
  /** As the plan leaves them, older ones first. */
  readonly oldSets: readonly Set[];
  /** Makes the newest set, where there was none. */
  readonly creation?: Action<Set> | undefined;
}

export function decide(observed: Observed, context: DecideContext): Decision<Rollout> {
  const { deployment, owned, orphans } = observed;
  const { selector } = deployment.spec ?? {};
  const parsed = parseSelector(selector);
  if (parsed === undefined) {
    const message = `deployment ${quote(deployment.metadata.name ?? "")} has an invalid label selector`;
    return unfinished("its selector cannot be read", new KubeloopError(message, { reason: "Invalid" }));
  }
  if (isEverything(parsed)) return warnOfSelectingAll(deployment);

  const claim = claimChildren(replicaSets, { owner: deployment, selector, owned, orphans });
  const instead = decideAdoption(deployments, deployment, claim, context);
  if (instead !== undefined) return instead;

  const { newSet: found, oldSets } = findNewSet(deployment, claim.claimed);
  const newSet = found === undefined ? undefined : asNewest(deployment, found, oldSets);
  const draft = new Draft(deployment, { found, newSet, oldSets, adoptions: claim.edits });
  const sets = newSet === undefined ? oldSets : [...oldSets, newSet];
  const rollback = rollbackRevisionOf(deployment);

  if (isBeingDeleted(deployment)) return draft.finish("is being deleted", "counts");
  if (deployment.spec?.paused === true) {
    draft.resize(scaleSets(deployment, newSet, oldSets));
    if (rollback === undefined) draft.cleanUp();
    return draft.finish("is paused", "counts");
  }
  if (rollback !== undefined) return decideRollback(draft, sets, rollback);
  if (isScaled(deployment, sets)) {
    draft.resize(scaleSets(deployment, newSet, oldSets));
    return draft.finish("is scaled", "counts");
  }
  return decideRollout(draft, observed);
}

function decideRollout(draft: Draft, { deployment, podsOf }: Observed): Plan<Rollout> | Plan<undefined> {
  const { type } = deployment.spec?.strategy ?? {};
  switch (type) {
    case "Recreate": {
      draft.resize(stopOldSets(draft.oldSets));
      if (draft.hasScaled) return draft.finish("stops old pods", "all");
      if (areOldPodsRunning(draft.oldSets, podsOf)) return draft.finish("waits for old pods", "all");
      const newSet = draft.ensureNewSet();
      draft.resize([{ set: newSet, replicas: replicasOf(deployment) }]);
      if (isComplete(deployment, deployment.status)) draft.cleanUp();
      return draft.finish("recreates", "all");
    }
    case "RollingUpdate": {
      const newSet = draft.ensureNewSet();
      draft.resize(rollSets(deployment, newSet, draft.oldSets));
      if (!draft.hasScaled && isComplete(deployment, deployment.status)) draft.cleanUp();
      return draft.finish("rolls", "all");
    }
    default: {
      const error = new KubeloopError(`unexpected deployment strategy type: ${type}`, { reason: "Invalid" });
      return unfinished("its strategy is not known", error);
    }
  }
}

/** The revisions must be right before one of them is looked for. */
function decideRollback(draft: Draft, sets: readonly Set[], asked: bigint): Plan<Rollout> | Plan<undefined> {
  const { deployment } = draft;
  const newSet = draft.ensureNewSet();
  const isCurrent =
    deployment.metadata.annotations?.[revisionAnnotation] === newSet.metadata.annotations?.[revisionAnnotation];
  if (draft.hasWritten || !isCurrent) return draft.finish("gets its revision before it is rolled back", "revision");
  return plan("is rolled back", [[inOrder(...rollBack(deployment, sets, asked))]]);
}

function warnOfSelectingAll(deployment: appsv1.Deployment): Plan<undefined> {
  const { generation = 0 } = deployment.metadata;
  const { status } = deployment;
  const isSeen = (status?.observedGeneration ?? 0) >= generation;
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  const warning = recordEvent(deployment, { type: "Warning", reason: "SelectingAll", message });
  const after = isSeen ? deployment : { ...deployment, status: { ...status, observedGeneration: generation } };
  return plan("selects all pods", [[warning, editStatus(deployments, deployment, after)]]);
}

interface Found {
  /** The newest set as it was found. */
  readonly found: Set | undefined;
  /** The newest set as it should be. */
  readonly newSet: Set | undefined;
  readonly oldSets: readonly Set[];
  readonly adoptions: readonly Action[];
}

/** A plan while it is made: what is written, one after the other, and how that leaves the sets. */
class Draft {
  readonly deployment: appsv1.Deployment;
  readonly #adoptions: readonly Action[];
  readonly #writes: Action[] = [];
  readonly #removals: Action[] = [];
  /** The newest set before its next write. */
  #found: Set | undefined;
  #newSet: Set | undefined;
  #oldSets: readonly Set[];
  #creation: Action<Set> | undefined;
  #hasScaled = false;

  constructor(deployment: appsv1.Deployment, { found, newSet, oldSets, adoptions }: Found) {
    this.deployment = deployment;
    this.#found = found;
    this.#newSet = newSet;
    this.#oldSets = oldSets;
    this.#adoptions = adoptions;
  }

  get oldSets(): readonly Set[] {
    return this.#oldSets;
  }

  /** Whether the size of a set changes. */
  get hasScaled(): boolean {
    return this.#hasScaled;
  }

  get hasWritten(): boolean {
    return this.#writes.length > 0 || this.#newSet !== this.#found;
  }

  ensureNewSet(): Set {
    if (this.#newSet !== undefined) return this.#newSet;
    const { deployment } = this;
    const oldSets = this.#oldSets;
    const replicas = isRollingUpdate(deployment) ? newSetSize(deployment, 0, oldSets) : replicasOf(deployment);
    const set = makeNewSet(deployment, { oldSets, replicas, isAsSent: isResuming(deployment) });
    // Not a failure: the namespace is being deleted, and the deployment goes with it.
    this.#creation = create(replicaSets, set, { tolerates: ["NamespaceTerminating"] });
    this.#writes.push(this.#creation);
    if (replicas > 0) this.#writes.push(scaledEvent(deployment, set, { from: 0, to: replicas }));
    this.#found = set;
    this.#newSet = set;
    return set;
  }

  resize(resizes: readonly Resize[]): void {
    for (const resize of resizes) this.#resize(resize);
  }

  /** Deletes old sets without pods that the history has no room for. */
  cleanUp(): void {
    const limit = this.deployment.spec?.revisionHistoryLimit;
    if (limit === undefined || limit === 2 ** 31 - 1) return;
    const alive = this.#oldSets.filter((set) => !isBeingDeleted(set)).toSorted(compareRevision);
    for (const set of alive.slice(0, Math.max(alive.length - limit, 0))) {
      const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
      if (replicas > 0 || replicasOf(set) > 0 || (set.metadata.generation ?? 0) > observedGeneration) continue;
      this.#removals.push(removeObject(replicaSets, set, { tolerates: ["NotFound", "Conflict"] }));
    }
  }

  finish(reason: string, reports: Rollout["reports"]): Plan<Rollout> {
    // What was not written together with its size.
    if (this.#newSet !== this.#found && this.#newSet !== undefined && this.#found !== undefined) {
      const edit = editObject(replicaSets, this.#found, this.#newSet);
      if (edit !== undefined) this.#writes.unshift(edit);
    }
    const steps = [this.#adoptions, [inOrder(...this.#writes)], [inOrder(...this.#removals)]];
    const notes: Rollout = { reports, newSet: this.#newSet, oldSets: this.#oldSets, creation: this.#creation };
    return plan(reason, steps, { notes });
  }

  #resize({ set, replicas, isRefreshed = false }: Resize): void {
    const isNew = set.metadata.name === this.#newSet?.metadata.name;
    const before = isNew ? this.#found : this.#oldSets.find(({ metadata }) => metadata.name === set.metadata.name);
    const current = isNew ? this.#newSet : before;
    if (before === undefined || current?.spec === undefined) return;
    const from = replicasOf(current);
    if (from === replicas && !isRefreshed) return;
    const annotations = { ...current.metadata.annotations, ...sizeAnnotations(this.deployment) };
    const after: Set = {
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: { ...current.spec, replicas },
    };
    const edit = editObject(replicaSets, before, after);
    if (edit === undefined) return;
    this.#writes.push(edit);
    if (isNew) {
      this.#found = after;
      this.#newSet = after;
    } else this.#oldSets = this.#oldSets.map((each) => (each === before ? after : each));
    if (from === replicas) return;
    this.#hasScaled = true;
    this.#writes.push(scaledEvent(this.deployment, set, { from, to: replicas }));
  }
}

function scaledEvent(
  deployment: appsv1.Deployment,
  { metadata }: Set,
  { from, to }: { readonly from: number; readonly to: number },
): Action {
  const message = `Scaled ${from < to ? "up" : "down"} replica set ${metadata.name} from ${from} to ${to}`;
  return recordEvent(deployment, { type: "Normal", reason: "ScalingReplicaSet", message });
}
