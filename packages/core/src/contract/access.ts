// What a controller may do to which resource: said once in its descriptor, from which RBAC rules, the documentation row, and the
// check that it does nothing else are made.
import type { Resource } from "../api/index.ts";
import type { Action } from "./actions.ts";

export interface Access {
  /** "*" for whatever the server serves. */
  readonly resource: Resource | "*";
  readonly subresource: string | undefined;
  readonly verbs: readonly string[];
}

export function verbs(resource: Resource | "*", ...allowed: readonly string[]): Access {
  return { resource, subresource: undefined, verbs: allowed };
}

export function statusVerbs(resource: Resource, ...allowed: readonly string[]): Access {
  return subresourceVerbs(resource, "status", ...allowed);
}

export function subresourceVerbs(resource: Resource, subresource: string, ...allowed: readonly string[]): Access {
  return { resource, subresource, verbs: allowed };
}

/** Whether the accesses cover an action. Events and ports are nobody's resource. */
export function isCovered(action: Action, accesses: readonly Access[]): boolean {
  if (action.type === "event" || action.type === "port") return true;
  const subresource = "subresource" in action ? action.subresource : undefined;
  const verb = verbOf(action.type);
  return accesses.some(
    (access) =>
      access.verbs.includes(verb) && access.subresource === subresource && isSame(access.resource, action.resource),
  );
}

function verbOf(type: Exclude<Action["type"], "event" | "port">): string {
  if (type === "create-subresource") return "create";
  return type === "apply" ? "patch" : type;
}

function isSame(allowed: Resource | "*", { group, plural }: Resource): boolean {
  return allowed === "*" || (allowed.group === group && allowed.plural === plural);
}

/** As RBAC and documents name it. */
export function placeOf({ resource, subresource }: Access): { readonly group: string; readonly name: string } {
  const group = resource === "*" ? "*" : resource.group;
  const plural = resource === "*" ? "*" : resource.plural;
  return { group, name: subresource === undefined ? plural : `${plural}/${subresource}` };
}
