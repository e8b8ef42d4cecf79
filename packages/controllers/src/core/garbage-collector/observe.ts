// What the garbage collector looks at for one key: the object's node in the graph, and what the graph knows about those around it.
import type { metav1, Resource } from "@kubeloop/core/api";
import type { View } from "@kubeloop/core/contract";
import type { Identity } from "./identity.ts";
import { type GraphNode, isVirtualKey, type OwnerGraph, uidOfKey } from "./model.ts";
import { resourceOf } from "./served-kinds.ts";

export interface Observed {
  readonly node: GraphNode;
  /** Undefined when no resource serves the kind in that version. */
  readonly resourceOf: (kind: { readonly apiVersion: string; readonly kind: string }) => Resource | undefined;
  readonly isAbsent: (owner: Identity) => boolean;
  readonly takesStrategicPatch: (resource: Resource) => boolean;
}

export interface ObservedItem extends Observed {
  /** References to owners in other namespaces, of which no event has told yet. */
  readonly misplacedOwners: readonly metav1.OwnerReference[];
  /** With these owner references its last deletion was refused, because the object had changed. */
  readonly refusedOwners: string | undefined;
  readonly hasDependents: boolean;
  readonly isBlocked: boolean;
  /** Whether a dependent waits for its own dependents: the references may be a circle. */
  readonly mayBeCircle: () => boolean;
}

export interface ObservedOwner extends Observed {
  readonly dependents: readonly GraphNode[];
}

/** Undefined when the graph does not have it (any more), or a watch has shown what was to be looked for. */
export function observeItem(key: string, view: View<OwnerGraph>): ObservedItem | undefined {
  const { model } = view;
  const observed = observeNode(key, view);
  if (observed === undefined || (isVirtualKey(key) && !observed.node.isVirtual)) return undefined;
  const uid = uidOfKey(key);
  return {
    ...observed,
    misplacedOwners: model.misplacedOwnersOf(uid),
    refusedOwners: model.refusedOwnersOf(uid),
    hasDependents: model.hasDependents(uid),
    isBlocked: model.isBlocked(uid),
    mayBeCircle: () => {
      for (const { deletion } of model.dependentsOf(uid)) if (deletion === "deletingDependents") return true;
      return false;
    },
  };
}

export function observeOwner(key: string, view: View<OwnerGraph>): ObservedOwner | undefined {
  const observed = observeNode(key, view);
  return observed && { ...observed, dependents: [...view.model.dependentsOf(key)] };
}

function observeNode(key: string, { model, snapshot: { served } }: View<OwnerGraph>): Observed | undefined {
  const node = model.get(uidOfKey(key));
  if (node === undefined || served === undefined) return undefined;
  return {
    node,
    resourceOf: (kind) => resourceOf(served, kind),
    isAbsent: (owner) => model.absentOwners.has(owner),
    takesStrategicPatch: (resource) => model.takesStrategicPatch(resource),
  };
}
