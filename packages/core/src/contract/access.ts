// What a controller may do to which resource: declared once in its descriptor. RBAC rules, the documentation row and the refusal of
// everything else are made from it.
import type { Resource } from "../api/index.ts";
import type { Action } from "./actions.ts";
import type { Question } from "./questions.ts";

export interface Access {
  /** "*" for every resource that the server serves. */
  readonly resource: Resource | "*";
  readonly subresource: string | undefined;
  readonly verbs: readonly string[];
}

/**
 * Verbs on a resource. An edit (`editObject`) is sent as a patch if "patch" is declared, otherwise as an update: declare the verb that the
 * controller's RBAC role grants.
 */
export function verbs(resource: Resource | "*", ...allowed: readonly string[]): Access {
  return { resource, subresource: undefined, verbs: allowed };
}

/** Verbs on the status of a resource: "patch" or "update" decides how `editStatus` is sent. */
export function statusVerbs(resource: Resource | "*", ...allowed: readonly string[]): Access {
  return subresourceVerbs(resource, "status", ...allowed);
}

export function subresourceVerbs(resource: Resource | "*", subresource: string, ...allowed: readonly string[]): Access {
  return { resource, subresource, verbs: allowed };
}

/** Whether the accesses cover an action. Events and ports are not resources. */
export function isCovered(action: Action, accesses: readonly Access[]): boolean {
  if (action.type === "event" || action.type === "port") return true;
  if (action.type === "edit") return editVerb(action, accesses) !== undefined;
  const subresource = "subresource" in action ? action.subresource : undefined;
  return isAllowed(verbOf(action.type), action.resource, subresource, accesses);
}

/** How an edit is sent: as a patch where that is allowed, or else as an update; undefined when neither is. */
export function editVerb(
  { resource, subresource }: Extract<Action, { readonly type: "edit" }>,
  accesses: readonly Access[],
): "patch" | "update" | undefined {
  if (isAllowed("patch", resource, subresource, accesses)) return "patch";
  return isAllowed("update", resource, subresource, accesses) ? "update" : undefined;
}

/** Whether the accesses cover a question. Discovery and ports are not resources. */
export function isReadCovered(question: Question, accesses: readonly Access[]): boolean {
  if (question.about === "served" || question.about === "port") return true;
  const subresource = question.about === "object" ? question.subresource : undefined;
  return isAllowed(question.about === "object" ? "get" : "list", question.resource, subresource, accesses);
}

function isAllowed(
  verb: string,
  resource: Resource,
  subresource: string | undefined,
  accesses: readonly Access[],
): boolean {
  for (const access of accesses) {
    if (access.subresource !== subresource || !isSame(access.resource, resource)) continue;
    if (access.verbs.includes(verb)) return true;
  }
  return false;
}

function verbOf(type: Exclude<Action["type"], "event" | "port" | "edit">): string {
  if (type === "create-subresource") return "create";
  return type === "apply" ? "patch" : type;
}

function isSame(allowed: Resource | "*", { group, plural }: Resource): boolean {
  return allowed === "*" || (allowed.plural === plural && allowed.group === group);
}

/** The resource as RBAC rules and documents name it. */
export function ruleNameOf({ resource, subresource }: Access): { readonly group: string; readonly name: string } {
  const group = resource === "*" ? "*" : resource.group;
  const plural = resource === "*" ? "*" : resource.plural;
  return { group, name: subresource === undefined ? plural : `${plural}/${subresource}` };
}
