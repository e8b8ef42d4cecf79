// The model of the garbage collector: a graph of all objects and their owners, by uid. An owner that is known only from references is a
// virtual node. No watch has reported it, so it is read live before anything is decided.
//
// `absorb` and `forget` return the keys to enqueue.
import { type KubernetesObject, keyOf, type metav1, type ObjectKey, type Resource } from "../../api/index.ts";
import type { Change, Wake } from "../../contract/index.ts";

export interface GraphNode {
  readonly uid: string;
  /** Undefined for a virtual node, which is known only from references. */
  readonly place: { readonly resource: Resource; readonly key: ObjectKey } | undefined;
  /** The owner reference that a dependent has to a virtual node. */
  readonly reference: metav1.OwnerReference | undefined;
  /** The namespace of the object; for a virtual node, that of the dependent with the reference. */
  readonly namespace: string;
  readonly owners: readonly metav1.OwnerReference[];
  readonly isDeleting: boolean;
  readonly waitsForDependents: boolean;
}

export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #absent = new Set<string>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#nodes.get(each) ?? []);
  }

  /** Whether the owner was not found in a live read. An object with this uid can never exist again. */
  isAbsent(uid: string): boolean {
    return this.#absent.has(uid);
  }

  noteAbsent(uid: string): void {
    this.#absent.add(uid);
    const [oldest] = this.#absent;
    if (this.#absent.size > 500 && oldest !== undefined) this.#absent.delete(oldest);
  }

  absorb(change: Change): readonly Wake[] {
    const { uid } = change.object.metadata;
    if (uid === undefined) return [];
    if (change.type === "delete") return this.forget(uid);
    const node = toNode(uid, change.resource, change.object);
    const before = this.#nodes.get(uid);
    this.#nodes.set(uid, node);
    return [...this.#link(node, before), ...wakesOfDeletion(node, before, this.dependentsOf(uid), change.object)];
  }

  /** Removes a deleted object. Returns its dependents, which may have to be deleted, and the owners that were waiting for it. */
  forget(uid: string): readonly Wake[] {
    const node = this.#nodes.get(uid);
    if (node === undefined) return [];
    this.#nodes.delete(uid);
    const dependents = this.dependentsOf(uid);
    if (dependents.length > 0) this.noteAbsent(uid);
    for (const owner of node.owners) this.#unlink(owner.uid, uid);
    const waiting = node.owners.filter((owner) => this.#nodes.get(owner.uid)?.waitsForDependents === true);
    return [...dependents.map((each) => each.uid), ...waiting.map((owner) => owner.uid)];
  }

  #link(node: GraphNode, before: GraphNode | undefined): readonly Wake[] {
    const kept = new Set(node.owners.map((owner) => owner.uid));
    const wakes: Wake[] = [];
    for (const owner of before?.owners ?? []) {
      if (kept.has(owner.uid)) continue;
      this.#unlink(owner.uid, node.uid);
      if (this.#nodes.get(owner.uid)?.waitsForDependents === true) wakes.push(owner.uid);
    }
    for (const owner of node.owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set<string>();
      dependents.add(node.uid);
      this.#dependents.set(owner.uid, dependents);
      const known = this.#nodes.get(owner.uid);
      if (known === undefined) {
        this.#nodes.set(owner.uid, virtualNode(owner, node));
        wakes.push(owner.uid);
      } else if (before === undefined && known.isDeleting) wakes.push(node.uid);
    }
    // Owners that are known to be absent are not checked again. Instead the dependent itself is enqueued.
    if (node.owners.some((owner) => this.#absent.has(owner.uid))) wakes.push(node.uid);
    return wakes;
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size !== 0) return;
    this.#dependents.delete(owner);
    if (this.#nodes.get(owner)?.place === undefined) this.#nodes.delete(owner);
  }
}

export const foreground = "foregroundDeletion";
export const orphan = "orphan";

function wakesOfDeletion(
  node: GraphNode,
  before: GraphNode | undefined,
  dependents: readonly GraphNode[],
  { metadata }: KubernetesObject,
): readonly Wake[] {
  if (!node.isDeleting || before?.isDeleting === true) return [];
  if (metadata.finalizers?.includes(orphan) === true) return [{ queue: "attemptToOrphan", key: node.uid }];
  return node.waitsForDependents ? [node.uid, ...dependents.map((each) => each.uid)] : [];
}

function toNode(uid: string, resource: Resource, { metadata }: KubernetesObject): GraphNode {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  return {
    uid,
    place: { resource, key: keyOf({ metadata }) },
    reference: undefined,
    namespace: metadata.namespace ?? "",
    owners: metadata.ownerReferences ?? [],
    isDeleting,
    waitsForDependents: isDeleting && metadata.finalizers?.includes(foreground) === true,
  };
}

function virtualNode(reference: metav1.OwnerReference, dependent: GraphNode): GraphNode {
  const { uid } = reference;
  const { namespace } = dependent;
  return { uid, place: undefined, reference, namespace, owners: [], isDeleting: false, waitsForDependents: false };
}
