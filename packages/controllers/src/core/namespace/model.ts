// What is remembered of each namespace while it is emptied: which resources were deleted in it already, and which of them the server deletes
// one by one only, against what it told. After a restart it is empty, which costs one more deletion of what is there.
import {
  type corev1,
  isMethodNotSupported,
  isNotFound,
  type KubernetesObject,
  keyOf,
  type Resource,
} from "@kubeloop/core/api";
import type { Change, Learned, Wake } from "@kubeloop/core/contract";
import { idOf } from "./conditions.ts";
import type { Observed } from "./observe.ts";

/** What was tried in one namespace. */
export interface Attempts {
  /** What is left of it was left by a deletion. */
  isTried(resource: Resource): boolean;
  /** The server refused to delete its collection. */
  isOneByOne(resource: Resource): boolean;
}

class NamespaceAttempts implements Attempts {
  readonly uid: string | undefined;
  readonly tried = new Set<string>();
  readonly oneByOne = new Set<string>();

  constructor(uid: string | undefined) {
    this.uid = uid;
  }

  isTried(resource: Resource): boolean {
    return this.tried.has(idOf(resource));
  }

  isOneByOne(resource: Resource): boolean {
    return this.oneByOne.has(idOf(resource));
  }
}

export class DeletionAttempts {
  readonly #byName = new Map<string, NamespaceAttempts>();

  get size(): number {
    return this.#byName.size;
  }

  /** One that was made anew under the same name begins anew. */
  of({ metadata }: corev1.Namespace): Attempts {
    const known = this.#byName.get(metadata.name ?? "");
    return known?.uid === metadata.uid && known !== undefined ? known : new NamespaceAttempts(metadata.uid);
  }

  noteTried(name: string, attempts: Attempts, resource: Resource): void {
    this.#remember(name, attempts)?.tried.add(idOf(resource));
  }

  noteOneByOne(name: string, attempts: Attempts, resource: Resource): void {
    this.#remember(name, attempts)?.oneByOne.add(idOf(resource));
  }

  forget(name: string): void {
    this.#byName.delete(name);
  }

  #remember(name: string, attempts: Attempts): NamespaceAttempts | undefined {
    if (!(attempts instanceof NamespaceAttempts)) return undefined;
    this.#byName.set(name, attempts);
    return attempts;
  }
}

export function absorb(model: DeletionAttempts, { type, object }: Change<KubernetesObject>): readonly Wake[] {
  if (type === "delete") model.forget(keyOf(object));
  return [];
}

/** What was deleted without a failure counts as tried; a collection that the server does not delete is tried one by one. */
export function learn(model: DeletionAttempts, { name, attempts }: Observed, { outcome }: Learned): readonly Wake[] {
  const failed = new Set<string>();
  const done = new Map<string, Resource>();
  for (const { action, result } of outcome.all) {
    if (action.type !== "delete" && action.type !== "deletecollection") continue;
    const id = idOf(action.resource);
    if (result.status === "failed" || result.status === "skipped") failed.add(id);
    else if (action.type === "deletecollection" && result.status === "tolerated" && isUnsupported(result.error)) {
      model.noteOneByOne(name, attempts, action.resource);
    } else done.set(id, action.resource);
  }
  for (const [id, resource] of done) if (!failed.has(id)) model.noteTried(name, attempts, resource);
  return [];
}

/** Some servers list a resource in discovery that has no such request, and answer that there is no such path. */
export const isUnsupported = (error: Error) => isMethodNotSupported(error) || isNotFound(error);
