// The rules of attemptToDelete: whether an object has to go, and how.
//
// Nothing is concluded from a cache. The object is read live, and so is every owner that is not known to be gone. Where all owners are known to
// be gone, the deletion itself is the live read: it names the version whose owners these are, and the server refuses it for any other. An owner is
//   solid     it is there;
//   waiting   it is there, and its own deletion waits for its dependents (finalizer foregroundDeletion);
//   dangling  there is none of that name, or its uid is another.
// An object with a solid owner stays, and loses its references to others. One without is deleted.
import { type metav1, type PartialObjectMetadata, type Resource, removeFinalizer } from "@kubeloop/core/api";
import {
  type Action,
  ask,
  type DecideContext,
  type Decision,
  editObject,
  liveGet,
  nothing,
  type Plan,
  plan,
  recordEvent,
  remove,
} from "@kubeloop/core/contract";
import { type Identity, keyIn, printIdentity, referredIdentity } from "./identity.ts";
import { foregroundFinalizer, type GraphNode, lookAgainMs, type Policy, policyOf } from "./model.ts";
import type { ObservedItem } from "./observe.ts";
import { removeOwners, unblockOwners } from "./owner-patches.ts";
import { newNotServed } from "./served-kinds.ts";

type Metadata = PartialObjectMetadata;
type Reference = metav1.OwnerReference;

/** What was found out by reading live; for `learn`. */
export interface Findings {
  readonly isGone?: boolean;
  readonly isSeen?: boolean;
  readonly absentOwners?: readonly Identity[];
  /** The owner references on which a deletion was decided, as text. */
  readonly owners?: string;
}

/** A plan also tells of owners in other namespaces; and a virtual node that was found is looked for again until a watch shows it. */
export function decideItem(observed: ObservedItem, context: DecideContext): Decision<Findings> {
  const decision = decide(observed, context);
  if (decision.kind === "ask") return decision;
  const { isVirtual, looks } = observed.node;
  const isToBeSeen = isVirtual && decision.notes?.isSeen === true;
  return {
    ...decision,
    steps: [...eventsOf(observed), ...decision.steps],
    ...(isToBeSeen ? { requeueAfterMs: lookAgainMs(looks) } : {}),
  };
}

function decide(observed: ObservedItem, context: DecideContext): Decision<Findings> {
  const { node } = observed;
  const { identity, deletion } = node;
  if (deletion === "begun" || deletion === "orphaningDependents") return nothing("is being deleted already");
  const resource = observed.resourceOf(identity);
  if (resource === undefined) return cannot("its kind is not served", newNotServed(identity));
  if (resource.namespaced && identity.namespace === "") return nothing(invalidOwner);
  const absentOwners = findAbsentOwners(observed);
  if (absentOwners !== undefined) {
    const notes: Findings = { absentOwners, owners: printOwners(node.owners) };
    return plan("nobody owns it", [[deleteItem(observed, resource, node, node.policy)]], { notes });
  }
  const question = liveGet(resource, keyIn(resource, identity), { metadataOnly: true });
  const answer = context.answer(question);
  if (answer === undefined) return ask("is it as the graph has it?", question);
  if (!answer.ok) return cannot("it cannot be read", answer.error);
  const item = answer.value;
  if (item?.metadata.uid !== identity.uid) return nothing("is gone", { notes: { isGone: true } });
  if (deletion === "deletingDependents") return decideWaiting(observed, resource, item);
  const owners = item.metadata.ownerReferences ?? [];
  if (owners.length === 0) return nothing("has no owner", { notes: { isSeen: true } });
  return decideByOwners(observed, resource, item, context);
}

/** Undefined unless all its owners are known to be gone and it may be deleted at the version that the graph has. */
function findAbsentOwners(observed: ObservedItem): readonly Identity[] | undefined {
  const { node, refusedOwners } = observed;
  // A deletion that was refused is decided on what is live: the graph may lag behind.
  if (node.isVirtual || node.owners.length === 0 || refusedOwners !== undefined) return undefined;
  if (node.deletion !== "none") return undefined;
  const absent = node.owners.flatMap((reference) => placeOf(reference, observed).absent ?? []);
  return absent.length === node.owners.length ? absent : undefined;
}

const invalidOwner = "cluster-scoped objects cannot refer to namespaced owners";

function cannot(reason: string, error: Error): Plan<Findings> {
  return nothing(reason, { unfinished: error });
}

function decideWaiting({ isBlocked }: ObservedItem, resource: Resource, item: Metadata): Plan<Findings> {
  // Each dependent was added to the queue when this began to wait, or when it appeared; the last one adds this again.
  if (isBlocked) return nothing("waits for its dependents");
  return plan("no dependent blocks it", [[withoutFinalizer(resource, item, foregroundFinalizer)]]);
}

/** Undefined when there is no such finalizer. */
export function withoutFinalizer(resource: Resource, item: Metadata, finalizer: string): Action | undefined {
  return editObject(resource, item, removeFinalizer(item, finalizer), { tolerates: ["NotFound"] });
}

interface Owners {
  readonly solid: readonly Reference[];
  readonly waiting: readonly Reference[];
  readonly dangling: readonly Reference[];
}

function decideByOwners(
  observed: ObservedItem,
  resource: Resource,
  item: Metadata,
  context: DecideContext,
): Decision<Findings> {
  const classified = classifyOwners(observed, item, context);
  if ("kind" in classified) return classified;
  const { solid, waiting, dangling, absentOwners } = classified;
  const notes: Findings = { isSeen: true, absentOwners };
  const { identity } = observed.node;
  const patched = { identity, resourceVersion: item.metadata.resourceVersion ?? "", owners: ownersOf(item) };
  if (solid.length > 0) {
    // A waiting owner has to be let go of, too, or it would wait for ever.
    const uids = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    if (uids.size === 0) return nothing("is owned", { notes });
    const { takesStrategicPatch } = observed;
    return plan("drops owners", [[removeOwners(resource, patched, { uids, takesStrategicPatch })]], { notes });
  }
  const withOwners: Findings = { ...notes, owners: printOwners(patched.owners) };
  const deletion = (policy: Policy) => deleteItem(observed, resource, patched, policy);
  if (waiting.length > 0 && observed.hasDependents) {
    // Two that wait for each other would wait for ever. A circle may be suspected where there is none: no harm is done then.
    const unblocked = observed.mayBeCircle() ? unblockOwners(resource, patched, observed) : undefined;
    const reason = "goes with its owner, after its own dependents";
    return plan(reason, [[unblocked], [deletion("Foreground")]], { notes: withOwners });
  }
  return plan("nobody owns it", [[deletion(policyOf(item.metadata))]], { notes: withOwners });
}

/** In the order of the references, as far as they can be judged. */
function classifyOwners(
  observed: ObservedItem,
  item: Metadata,
  context: DecideContext,
): Decision<Findings> | (Owners & { readonly absentOwners: readonly Identity[] }) {
  const references = ownersOf(item).map((reference) => ({ reference, ...placeOf(reference, observed) }));
  const open = references.flatMap(({ question }) =>
    question === undefined || context.answer(question) !== undefined ? [] : [question],
  );
  if (open.length > 0) return ask("are its owners there?", ...open);
  const solid: Reference[] = [];
  const waiting: Reference[] = [];
  const dangling: Reference[] = [];
  const absentOwners: Identity[] = [];
  for (const { reference, absent, resource, question } of references) {
    if (question === undefined) {
      if (absent === undefined) {
        if (resource === undefined) return cannot("an owner's kind is not served", newNotServed(reference));
        return nothing(invalidOwner);
      }
      dangling.push(reference);
      absentOwners.push(absent);
      continue;
    }
    const answer = context.answer(question);
    if (answer?.ok !== true) return cannot("an owner cannot be read", answer?.error ?? newNotServed(reference));
    const owner = answer.value;
    if (owner?.metadata.uid !== reference.uid) {
      dangling.push(reference);
      const namespace = resource?.namespaced === true ? observed.node.identity.namespace : "";
      absentOwners.push(referredIdentity(reference, namespace));
    } else (isWaiting(owner) ? waiting : solid).push(reference);
  }
  return { solid, waiting, dangling, absentOwners };
}

/** Where an owner has to be looked for; without a question, it is known to be absent, not served, or cannot be. */
function placeOf(reference: Reference, { node, resourceOf, isAbsent }: ObservedItem) {
  const { namespace } = node.identity;
  const absent = [referredIdentity(reference, ""), referredIdentity(reference, namespace)].find(isAbsent);
  if (absent !== undefined) return { absent };
  const resource = resourceOf(reference);
  if (resource === undefined || (resource.namespaced && namespace === "")) return { resource };
  const key = keyIn(resource, { namespace, name: reference.name });
  return { resource, question: liveGet(resource, key, { metadataOnly: true }) };
}

function isWaiting({ metadata: { deletionTimestamp, finalizers } }: Metadata): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(foregroundFinalizer) === true;
}

/**
 * Exactly the object that was judged: owners may have been added since. Where that was refused, and the owners are the same as then, any
 * version is deleted: somebody who writes it all the time cannot keep it.
 */
function deleteItem(
  { node, refusedOwners }: ObservedItem,
  resource: Resource,
  { resourceVersion, owners }: Pick<GraphNode, "resourceVersion" | "owners">,
  propagationPolicy: Policy,
): Action {
  const { uid } = node.identity;
  const preconditions = refusedOwners === printOwners(owners) ? { uid } : { uid, resourceVersion };
  return remove(resource, keyIn(resource, node.identity), {
    propagationPolicy,
    preconditions,
    tolerates: ["NotFound"],
  });
}

const ownersOf = ({ metadata }: Metadata) => metadata.ownerReferences ?? [];
const printOwners = (owners: readonly Reference[]) => JSON.stringify(owners);

function eventsOf({ node: { identity }, misplacedOwners }: ObservedItem): readonly (readonly Action[])[] {
  if (misplacedOwners.length === 0) return [];
  const { apiVersion, kind, namespace, name, uid } = identity;
  const about = { apiVersion, kind, metadata: { ...(namespace === "" ? {} : { namespace }), name, uid } };
  const events = misplacedOwners.map((owner) => {
    const message = `ownerRef ${printIdentity(referredIdentity(owner, namespace))} does not exist in namespace ${JSON.stringify(namespace)}`;
    return recordEvent(about, { type: "Warning", reason: "OwnerRefInvalidNamespace", message });
  });
  return [events];
}
