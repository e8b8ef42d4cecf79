// Which objects an owner may count as its own: it adopts orphans that its selector matches, and releases what it controls and no longer
// matches. Pure, for every kind of child.
//
//   const claim = claimChildren(pods, { owner: set, selector: set.spec?.selector, owned, orphans });
//   const instead = decideAdoption(replicaSets, set, claim, context);
//   if (instead !== undefined) return instead;
//   return plan("…", [claim.edits, …]);
//
// Promises
// - An owner that is being deleted neither adopts nor releases: the garbage collector needs the references as they are. What is being
//   deleted is not adopted. An orphan of another namespace is never adopted.
// - Before it adopts, the owner is read live: one that was deleted, or made anew under its name, must not take objects from its successor.
// - An edit is refused if somebody has changed the object since. An adoption that is refused, or whose object is gone, fails, and the key is
//   tried again: nothing may count as the owner's that is not. A release may miss for both reasons: whoever changed the object woke its owner.
import {
  addFinalizer,
  isControlledBy,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  type Resource,
  removeFinalizer,
  removeOwnerReference,
  setControllerReference,
} from "@kubeloop/core/api";
import { KubeloopError } from "@kubeloop/core/base";
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  editObject,
  liveGet,
  plan,
} from "@kubeloop/core/contract";
import { selectorOf } from "./selectors.ts";

export interface ClaimInput<T extends KubernetesObject> {
  readonly owner: KubernetesObject;
  /** Of the owner. Absent or malformed, it matches nothing. */
  readonly selector: metav1.LabelSelector | undefined;
  /** What the owner controls. */
  readonly owned: readonly T[];
  /** What nobody controls. */
  readonly orphans: readonly T[];
  /** What must hold beside the selector; every object unless given. */
  readonly isMember?: (object: T) => boolean;
  /** Added to what is adopted, removed from what is released; none unless given. */
  readonly finalizer?: string;
}

export interface Claim<T extends KubernetesObject> {
  /** Owned and matching, then what is adopted. */
  readonly claimed: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
  /** For one step: they do not wait for each other. */
  readonly edits: readonly Action[];
  /** Those of `edits` that need no live read of the owner. */
  readonly releases: readonly Action[];
}

export function claimChildren<T extends KubernetesObject>(resource: Resource<T>, input: ClaimInput<T>): Claim<T> {
  const { owner, owned, orphans, isMember = () => true, finalizer } = input;
  const selector = selectorOf(input.selector);
  const matches = (object: T) => matchesSelector(selector, object.metadata.labels) && isMember(object);
  const isTerminating = isBeingDeleted(owner);
  const kept = owned.filter((object) => isControlledBy(object, owner) && matches(object));
  const released = isTerminating ? [] : owned.filter((object) => isControlledBy(object, owner) && !matches(object));
  const { namespace } = owner.metadata;
  const isInNamespace = ({ metadata }: T) => !namespace || namespace === metadata.namespace;
  const mayBeAdopted = (orphan: T) => isInNamespace(orphan) && !isBeingDeleted(orphan) && matches(orphan);
  const adopted = isTerminating ? [] : orphans.filter(mayBeAdopted);
  const releases = released.flatMap((object) => {
    const free = removeOwnerReference(object, owner.metadata.uid ?? "");
    const after = finalizer === undefined ? free : removeFinalizer(free, finalizer);
    return editObject(resource, object, after, { tolerates: ["NotFound", "Conflict"] }) ?? [];
  });
  const adoptions = adopted.flatMap((object) => {
    const taken = setControllerReference(object, owner);
    const after = finalizer === undefined ? taken : addFinalizer(taken, finalizer);
    return editObject(resource, object, after) ?? [];
  });
  return { claimed: [...kept, ...adopted], adopted, released, releases, edits: [...adoptions, ...releases] };
}

/** Those of an owner's objects that its selector matches: what it may count, where nothing is to be adopted or released. */
export function claimedOf<T extends KubernetesObject>(
  owner: KubernetesObject,
  selector: metav1.LabelSelector | undefined,
  objects: readonly T[],
): readonly T[] {
  const parsed = selectorOf(selector);
  return objects.filter((object) => isControlledBy(object, owner) && matchesSelector(parsed, object.metadata.labels));
}

/**
 * Undefined when the plan may go on: nothing is adopted, or the owner is still there. Otherwise the decision that `decide` must return
 * instead: a question, or a plan that only releases and fails.
 */
export function decideAdoption<T extends KubernetesObject>(
  resource: Resource<T>,
  owner: T,
  claim: Pick<Claim<KubernetesObject>, "adopted" | "releases">,
  context: DecideContext,
): Decision<never> | undefined {
  if (claim.adopted.length === 0) return undefined;
  const question = liveGet(resource, keyOf(owner));
  const live = context.answer(question);
  if (live === undefined) return ask("may it adopt?", question);
  const refusal = live.ok ? findRefusal(owner, live.value) : live.error;
  if (refusal === undefined) return undefined;
  const unfinished = new KubeloopError(`cannot adopt: ${refusal.message}`, { reason: "CannotAdopt", cause: refusal });
  return plan<never>("may not adopt", [claim.releases], { unfinished });
}

function findRefusal({ kind, metadata }: KubernetesObject, live: KubernetesObject | undefined): Error | undefined {
  const name = `${kind} ${keyOf({ metadata })}`;
  if (live === undefined) return new Error(`${name} is gone`);
  const { uid, deletionTimestamp } = live.metadata;
  if (uid !== metadata.uid) return new Error(`${name} is gone: got uid ${uid}, wanted ${metadata.uid}`);
  return isBeingDeleted(live) ? new Error(`${name} has just been deleted at ${deletionTimestamp}`) : undefined;
}

/** Some clients print null for a time that is not there. */
export const isBeingDeleted = ({ metadata }: KubernetesObject) =>
  metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
