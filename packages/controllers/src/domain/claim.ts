// Which objects an owner may count as its own: it adopts orphans that its selector matches, and releases what it controls and no longer
// matches. Pure, for every kind of child.
//
//   const claimed = claimChildren(pods, { owner: set, selector: set.spec?.selector, owned, orphans });
//   const unsettled = checkAdoption(replicaSets, set, claimed, context);
//   if (unsettled !== undefined) return unsettled;
//   return plan("…", [claimed.edits, …]);
//
// Promises
// - An owner that is being deleted neither adopts nor releases: the garbage collector needs the references as they are. What is being
//   deleted is not adopted. An orphan of another namespace is never adopted.
// - Before it adopts, the owner is read live: one that was deleted, or made anew under its name, must not take objects from its successor.
// - An edit is refused if somebody has changed the object since. An adoption that is refused so fails, and the key is tried again; an
//   object that is gone is nobody's. A release may miss for both reasons: whoever changed the object woke its owner by that.
import {
  addFinalizer,
  fromLabelSelector,
  isControlledBy,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type metav1,
  nothingSelector,
  type Resource,
  removeFinalizer,
  removeOwnerReference,
  type Selector,
  SelectorError,
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
  readonly mine: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
  /** For one step: they do not wait for each other. */
  readonly edits: readonly Action[];
  readonly releases: readonly Action[];
}

export function claimChildren<T extends KubernetesObject>(resource: Resource<T>, input: ClaimInput<T>): Claim<T> {
  const { owner, owned, orphans, isMember = () => true, finalizer } = input;
  const selector = readSelector(input.selector);
  const fits = (object: T) => matchesSelector(selector, object.metadata.labels) && isMember(object);
  const isGoing = isDeleting(owner);
  const kept = owned.filter((object) => isControlledBy(object, owner) && fits(object));
  const released = isGoing ? [] : owned.filter((object) => isControlledBy(object, owner) && !fits(object));
  const isNear = ({ metadata }: T) => !owner.metadata.namespace || owner.metadata.namespace === metadata.namespace;
  const adopted = isGoing ? [] : orphans.filter((orphan) => isNear(orphan) && !isDeleting(orphan) && fits(orphan));
  const releases = released.flatMap((object) => {
    const free = removeOwnerReference(object, owner.metadata.uid ?? "");
    const after = finalizer === undefined ? free : removeFinalizer(free, finalizer);
    return editObject(resource, object, after, { tolerates: ["NotFound", "Conflict"] }) ?? [];
  });
  const adoptions = adopted.flatMap((object) => {
    const taken = setControllerReference(object, owner);
    const after = finalizer === undefined ? taken : addFinalizer(taken, finalizer);
    return editObject(resource, object, after, { tolerates: ["NotFound"] }) ?? [];
  });
  return { mine: [...kept, ...adopted], adopted, released, releases, edits: [...adoptions, ...releases] };
}

/** Undefined when the plan may go on: nothing is adopted, or the owner is still there. Otherwise what `decide` returns instead. */
export function checkAdoption<T extends KubernetesObject>(
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

/** What cannot be read matches nothing: validation is the API server's. */
export function readSelector(selector: metav1.LabelSelector | undefined): Selector {
  if (selector === undefined) return nothingSelector;
  const known = readings.get(selector);
  if (known !== undefined) return known;
  const reading = tryRead(selector);
  readings.set(selector, reading);
  return reading;
}

// Every orphan is matched against the selectors of all owners in its namespace.
const readings = new WeakMap<metav1.LabelSelector, Selector>();

function tryRead(selector: metav1.LabelSelector): Selector {
  try {
    return fromLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return nothingSelector;
    throw error;
  }
}

function findRefusal({ kind, metadata }: KubernetesObject, live: KubernetesObject | undefined): Error | undefined {
  const name = `${kind} ${keyOf({ metadata })}`;
  if (live === undefined) return new Error(`${name} is gone`);
  const { uid, deletionTimestamp } = live.metadata;
  if (uid !== metadata.uid) return new Error(`${name} is gone: got uid ${uid}, wanted ${metadata.uid}`);
  return isDeleting(live) ? new Error(`${name} has just been deleted at ${deletionTimestamp}`) : undefined;
}

const isDeleting = ({ metadata }: KubernetesObject) =>
  metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
