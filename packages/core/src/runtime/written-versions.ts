// What one reconcile's own writes left behind, so that a later write of the same plan, or of its report, builds on it: an edit that was
// decided on an object as it was before the plan's own write would otherwise be refused as a conflict with ourselves.
//
// Sound because only a write that was itself locked on the observed version counts: it succeeded, so nobody else had changed the object
// in between, and the version it left follows directly on the one that was observed. After any other write of our own a locked write
// is refused, as before, if somebody else wrote in between.
import type { KubernetesObject, Resource } from "../api/index.ts";
import { editVerb, keyOfAction, resourceId } from "../contract/for-drivers.ts";
import type { Access, Action, ActionResult } from "../contract/index.ts";

export class WrittenVersions {
  readonly #writes: readonly Access[];
  /** By resource, key and the version that was observed: the object as the own write left it. */
  #left: Map<string, KubernetesObject> | undefined;

  /** What the controller declares: an edit that is sent as an update is always locked. */
  constructor(writes: readonly Access[]) {
    this.#writes = writes;
  }

  note(action: Action, result: ActionResult): void {
    if (result.status !== "done" || !("resource" in action)) return;
    const version = lockedVersionOf(action, this.#writes);
    const key = keyOfAction(action);
    const left = result.value as KubernetesObject | undefined;
    const isObject = left?.kind === action.resource.kind && left.metadata.resourceVersion !== undefined;
    if (version === undefined || key === undefined || left === undefined || !isObject) return;
    if (left.metadata.resourceVersion === version) return;
    this.#left ??= new Map();
    this.#left.set(idOf(action.resource, key, version), left);
  }

  /** The object as our own writes left it, if they followed directly on this version. */
  after(resource: Resource, key: string, version: string | undefined): KubernetesObject | undefined {
    if (this.#left === undefined || version === undefined) return undefined;
    let found: KubernetesObject | undefined;
    for (let next: string | undefined = version; next !== undefined; next = found?.metadata.resourceVersion) {
      const left = this.#left.get(idOf(resource, key, next));
      if (left === undefined) return found;
      found = left;
    }
    return found;
  }
}

/** The version that the write demanded; undefined when it demanded none. */
function lockedVersionOf(action: Action, writes: readonly Access[]): string | undefined {
  switch (action.type) {
    case "edit":
      return action.isLocked || editVerb(action, writes) === "update"
        ? action.before.metadata.resourceVersion
        : undefined;
    case "patch":
      return action.preconditions.resourceVersion;
    case "update":
      return action.object.metadata.resourceVersion;
    default:
      return undefined;
  }
}

function idOf(resource: Resource, key: string, version: string): string {
  return `${resourceId(resource)} ${key} ${version}`;
}
