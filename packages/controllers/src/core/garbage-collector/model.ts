// The garbage collector's memory: who owns whom, over everything there is, by uid. It is rebuilt from the caches after a start.
//
// An owner that is only referred to is a virtual node: no watch has shown it, so it is looked for live, again and again, until a watch does
// or the server says that it is not there. `absorb` and `confirmAbsent` return the keys to look at; everything else answers questions.
//
// Promise: what a change costs depends on the references of the object that changed, and neither on its dependents nor on the size of the
// graph. Where all its dependents have to be looked at, because it is gone or waits for them, and they are many, they are added to the queue
// a few hundred at a time (`nextDependents`), so that other work runs in between.
import type { KubernetesObject, metav1, Resource } from "@kubeloop/core/api";
import type { Change, Wake } from "@kubeloop/core/contract";
import { AbsentOwners } from "./absent-owners.ts";
import {
  alternateIdentity,
  type Identity,
  isReferenceTo,
  isSameIdentity,
  partitionDependents,
  referredIdentity,
} from "./identity.ts";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Not deleted; waiting for others to remove their finalizers; for its dependents to be orphaned; for its dependents to be deleted. */
export type Deletion = "none" | "begun" | "orphaningDependents" | "deletingDependents";

export type Policy = "Orphan" | "Foreground" | "Background";

export interface GraphNode {
  readonly identity: Identity;
  /** Only referred to: no watch has shown it. */
  readonly isVirtual: boolean;
  /** Of the object with these owners; "" for a virtual node. */
  readonly resourceVersion: string;
  readonly owners: readonly metav1.OwnerReference[];
  readonly deletion: Deletion;
  /** How its deletion treats its dependents, unless whoever deletes it says otherwise. */
  readonly policy: Policy;
  /** How often a virtual node was looked for. */
  readonly looks: number;
}

export const deleteQueue = "attemptToDelete";
export const orphanQueue = "attemptToOrphan";
/** Owners whose dependents are still to be added to attemptToDelete. */
export const changesQueue = "graphChanges";

/** So many are added at once. */
export const mostAtOnce = 500;

/** The key of a virtual node: there is nothing to look at under it once a watch has shown the object. */
export const virtualKey = (uid: string) => `${virtualPrefix}${uid}`;
const virtualPrefix = "virtual ";
export const isVirtualKey = (key: string) => key.startsWith(virtualPrefix);
export const uidOfKey = (key: string) => (isVirtualKey(key) ? key.slice(virtualPrefix.length) : key);

/** When a virtual node is looked for again: after 5 ms, doubled each time, up to 1000 s. */
export const lookAgainMs = (looks: number) => Math.min(5 * 2 ** Math.min(looks, 20), 1_000_000);

const noWakes: readonly Wake[] = [];
const noUids: ReadonlySet<string> = new Set();

export class OwnerGraph {
  readonly absentOwners = new AbsentOwners();
  readonly #nodes = new Map<string, GraphNode>();
  /** By uid of the owner, whether or not it has a node. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Of these, those whose reference blocks the owner's deletion. */
  readonly #blocking = new Map<string, Set<string>>();
  /** By owner, those of its dependents that are still to be added to the queue. */
  readonly #untold = new Map<string, Iterator<string>>();
  /** By dependent, its references to owners that a watch has shown in another namespace, and that no event has told of yet. */
  readonly #misplaced = new Map<string, Map<string, metav1.OwnerReference>>();
  /** By uid, the owner references with which a deletion was refused as a conflict. */
  readonly #refused = new Map<string, string>();
  /** Resources that have refused a strategic patch. */
  readonly #withoutStrategic = new Set<string>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  *dependentsOf(uid: string): Iterable<GraphNode> {
    for (const dependent of this.#dependents.get(uid) ?? noUids) {
      const node = this.#nodes.get(dependent);
      if (node !== undefined) yield node;
    }
  }

  hasDependents(uid: string): boolean {
    return this.#dependents.has(uid);
  }

  /** Whether some dependent's reference blocks its deletion. */
  isBlocked(uid: string): boolean {
    return this.#blocking.has(uid);
  }

  misplacedOwnersOf(uid: string): readonly metav1.OwnerReference[] {
    return [...(this.#misplaced.get(uid)?.values() ?? [])];
  }

  /** An event has told of them. */
  forgetMisplacedOwners(uid: string, told: readonly metav1.OwnerReference[]): void {
    const owners = this.#misplaced.get(uid);
    for (const owner of told) owners?.delete(owner.uid);
    if (owners?.size === 0) this.#misplaced.delete(uid);
  }

  /** Undefined unless its last deletion was refused because the object had changed. */
  refusedOwnersOf(uid: string): string | undefined {
    return this.#refused.get(uid);
  }

  noteRefused(uid: string, owners: string): void {
    if (this.#nodes.has(uid)) this.#refused.set(uid, owners);
  }

  takesStrategicPatch({ apiVersion, plural }: Resource): boolean {
    return !this.#withoutStrategic.has(`${apiVersion}/${plural}`);
  }

  noteWithoutStrategicPatch({ apiVersion, plural }: Resource): void {
    this.#withoutStrategic.add(`${apiVersion}/${plural}`);
  }

  /** The server has the object of a virtual node, and no watch has shown it yet. */
  noteSeen(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node?.isVirtual === true) this.#nodes.set(uid, { ...node, looks: node.looks + 1 });
  }

  absorb(change: Change): readonly Wake[] {
    const { uid } = change.object.metadata;
    if (uid === undefined || change.cause === "resync") return noWakes;
    const node = toNode(uid, change.resource, change.object);
    const known = this.#nodes.get(uid);
    if (change.type === "delete") return known === undefined ? noWakes : this.#remove(known, node.identity);
    const wakes: Wake[] = [];
    if (known?.isVirtual === true && !isSameIdentity(known.identity, node.identity)) this.#correct(node, wakes);
    this.#nodes.set(uid, node);
    this.#relink(node, known?.owners ?? [], wakes);
    // What an initial list shows has begun at some time before: it is taken up again.
    this.#noteDeletion(node, change.type === "update" ? known : undefined, wakes);
    return wakes;
  }

  isToTellDependents(uid: string): boolean {
    return this.#untold.has(uid);
  }

  /** The next few dependents of an owner that is gone or waits; and itself, if there are more. */
  nextDependents(uid: string): readonly Wake[] {
    const left = this.#untold.get(uid);
    const wakes: Wake[] = [];
    while (left !== undefined && wakes.length < mostAtOnce) {
      const { done, value } = left.next();
      if (done === true) {
        this.#untold.delete(uid);
        return wakes;
      }
      wakes.push({ queue: deleteQueue, key: value });
    }
    if (left !== undefined) wakes.push({ queue: changesQueue, key: uid });
    return wakes;
  }

  /** The server has no object of this identity: what refers to it by that may have to go. */
  confirmAbsent(identity: Identity): readonly Wake[] {
    const { uid } = identity;
    const node = this.#nodes.get(uid);
    if (node === undefined) return noWakes;
    const isIt = isSameIdentity(node.identity, identity);
    if (!node.isVirtual && isIt) return this.#remove(node, identity);
    const { matching, nonmatching } = partitionDependents(this.dependentsOf(uid), identity);
    if (node.isVirtual && nonmatching.length === 0) return this.#remove(node, identity);
    if (matching.length > 0) this.absentOwners.note(identity);
    const wakes: Wake[] = matching.map((dependent) => dependent.identity.uid);
    const other = node.isVirtual && isIt ? alternateIdentity(nonmatching, identity) : undefined;
    if (other === undefined) return wakes;
    // The others name it otherwise, and may be right.
    this.#nodes.set(uid, { ...node, identity: other, looks: node.looks + 1 });
    wakes.push({ key: virtualKey(uid), afterMs: lookAgainMs(node.looks) });
    return wakes;
  }

  /** Whoever it owned may have to go; whoever waited for it may go on. */
  #remove({ identity: { uid }, owners }: GraphNode, absent: Identity): readonly Wake[] {
    this.#nodes.delete(uid);
    this.#misplaced.delete(uid);
    this.#refused.delete(uid);
    const wakes: Wake[] = [];
    if (this.#dependents.has(uid)) this.absentOwners.note(absent);
    this.#wakeDependents(uid, wakes);
    for (const owner of owners) {
      this.#unlink(owner.uid, uid);
      if (this.#isWaiting(owner.uid)) wakes.push(owner.uid);
    }
    return wakes;
  }

  #isWaiting(uid: string): boolean {
    return this.#nodes.get(uid)?.deletion === "deletingDependents";
  }

  #noteDeletion({ identity: { uid }, deletion }: GraphNode, before: GraphNode | undefined, wakes: Wake[]): void {
    // Whatever it was before: that the collector removed its finalizer, and that somebody deleted it in the same way again, may both have
    // happened while the watch was cut off.
    if (deletion === "orphaningDependents") wakes.push({ queue: orphanQueue, key: uid });
    if (deletion !== "deletingDependents") return;
    const isNew = deletion !== before?.deletion;
    if (isNew) this.#wakeDependents(uid, wakes);
    // As long as a dependent blocks it, the last of them wakes it.
    if (isNew || !this.isBlocked(uid)) wakes.push(uid);
  }

  #wakeDependents(uid: string, wakes: Wake[]): void {
    const dependents = this.#dependents.get(uid) ?? noUids;
    if (dependents.size > mostAtOnce) {
      this.#untold.set(uid, dependents.values());
      wakes.push({ queue: changesQueue, key: uid });
    } else for (const dependent of dependents) wakes.push(dependent);
  }

  /** A watch shows an object otherwise than its dependents had said. */
  #correct({ identity }: GraphNode, wakes: Wake[]): void {
    for (const dependent of partitionDependents(this.dependentsOf(identity.uid), identity).nonmatching) {
      const { namespace, uid } = dependent.identity;
      if (identity.namespace !== "" && namespace !== identity.namespace) this.#noteMisplaced(dependent, identity.uid);
      wakes.push(uid);
    }
  }

  #noteMisplaced({ identity, owners }: GraphNode, owner: string): void {
    const reference = owners.find(({ uid }) => uid === owner);
    if (reference === undefined) return;
    const others = this.#misplaced.get(identity.uid) ?? new Map<string, metav1.OwnerReference>();
    this.#misplaced.set(identity.uid, others.set(owner, reference));
  }

  #relink(node: GraphNode, before: readonly metav1.OwnerReference[], wakes: Wake[]): void {
    if (before.length === 0 && node.owners.length === 0) return;
    const { uid } = node.identity;
    const was = blocksByOwner(before);
    const is = blocksByOwner(node.owners);
    for (const [owner, wasBlocking] of was) {
      if (!is.has(owner)) this.#unlink(owner, uid);
      if (!wasBlocking || is.get(owner) === true) continue;
      removeFrom(this.#blocking, owner, uid);
      // It may have been the last one that the owner waited for.
      if (this.#isWaiting(owner)) wakes.push(owner);
    }
    let isDoubtful = false;
    for (const owner of node.owners) {
      if (was.has(owner.uid)) continue;
      if (this.#link(node, owner, wakes)) isDoubtful = true;
    }
    for (const [owner, isBlocking] of is) {
      if (isBlocking) addTo(this.#blocking, owner, uid);
      const isNew = !was.has(owner) || (isBlocking && was.get(owner) !== true);
      // The owner looks at its dependents once, when it begins to wait.
      if (isNew && this.#isWaiting(owner)) isDoubtful = true;
    }
    if (isDoubtful) wakes.push(uid);
  }

  /** Returns whether the reference may be wrong, so that it has to be verified. */
  #link(node: GraphNode, reference: metav1.OwnerReference, wakes: Wake[]): boolean {
    const { namespace, uid } = node.identity;
    addTo(this.#dependents, reference.uid, uid);
    const owner = this.#nodes.get(reference.uid);
    if (owner === undefined) {
      this.#nodes.set(reference.uid, newVirtualNode(referredIdentity(reference, namespace)));
      wakes.push(virtualKey(reference.uid));
      return false;
    }
    const { identity, isVirtual } = owner;
    if (identity.namespace !== "" && identity.namespace !== namespace) {
      if (!isVirtual) this.#noteMisplaced(node, reference.uid);
      return true;
    }
    if (!isReferenceTo(reference, identity)) return true;
    // It may be an instance of a namespaced kind, to which a cluster-scoped object refers wrongly.
    return isVirtual && identity.namespace !== namespace;
  }

  #unlink(owner: string, dependent: string): void {
    removeFrom(this.#blocking, owner, dependent);
    removeFrom(this.#dependents, owner, dependent);
    if (this.#dependents.has(owner)) return;
    if (this.#nodes.get(owner)?.isVirtual === true) this.#nodes.delete(owner);
  }
}

function toNode(uid: string, { apiVersion, kind }: Resource, { metadata }: KubernetesObject): GraphNode {
  const { namespace = "", name = "", resourceVersion = "", ownerReferences = [] } = metadata;
  return {
    identity: { apiVersion, kind, namespace, name, uid },
    isVirtual: false,
    resourceVersion,
    owners: ownerReferences,
    deletion: deletionOf(metadata),
    policy: policyOf(metadata),
    looks: 0,
  };
}

function newVirtualNode(identity: Identity): GraphNode {
  return {
    identity,
    isVirtual: true,
    resourceVersion: "",
    owners: [],
    deletion: "none",
    policy: "Background",
    looks: 0,
  };
}

export function deletionOf({ deletionTimestamp, finalizers = [] }: metav1.ObjectMeta): Deletion {
  if (deletionTimestamp === undefined) return "none";
  if (finalizers.includes(orphanFinalizer)) return "orphaningDependents";
  return finalizers.includes(foregroundFinalizer) ? "deletingDependents" : "begun";
}

/** What its finalizers say, or else in the background. */
export function policyOf({ finalizers = [] }: metav1.ObjectMeta): Policy {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

/** By uid of the owner, whether some reference to it blocks its deletion. */
function blocksByOwner(owners: readonly metav1.OwnerReference[]): ReadonlyMap<string, boolean> {
  const blocks = new Map<string, boolean>();
  for (const { uid, blockOwnerDeletion = false } of owners) {
    blocks.set(uid, blockOwnerDeletion || blocks.get(uid) === true);
  }
  return blocks;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function removeFrom(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
