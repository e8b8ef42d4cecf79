// Remembers the objects as one reconcile's own writes left them, so that a later write of the same plan, or of its report, is based on them.
// Without this, an edit that was decided on the object before the plan's own write would fail with a conflict that the plan itself caused.
//
// This is correct because only a write that itself had the observed version as a precondition counts: it succeeded, so nobody else had changed
// the object in between, and the version after it directly follows the observed one. After any other own write, a write with a version
// precondition still fails with a conflict if the object has changed since it was observed.
import type { KubernetesObject, Resource } from "../api/index.ts";
import { editVerb, keyOfAction, resourceId } from "../contract/for-drivers.ts";
import type { Access, Action, ActionResult } from "../contract/index.ts";

export class WrittenVersions {
  readonly #writes: readonly Access[];
  /** By resource, key and observed version: the object as the own write left it. */
  #left: Map<string, KubernetesObject> | undefined;

  /** `writes` are the writes that the controller declares. They decide which edits are sent as updates, and an update is always locked. */
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

  /** Returns the object as this reconcile's own writes left it, if they directly followed this version. */
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

/** Returns the version that the write had as a precondition; undefined if it had none. */
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
