// The verbs that a controller needs on each resource, declared once in its descriptor. RBAC rules and the documentation row are generated
// from this declaration, and the driver refuses every request that the declaration does not cover.
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

/** Verbs on the status subresource of a resource. `editStatus` is sent as a patch if "patch" is declared, otherwise as an update. */
export function statusVerbs(resource: Resource | "*", ...allowed: readonly string[]): Access {
  return subresourceVerbs(resource, "status", ...allowed);
}

export function subresourceVerbs(resource: Resource | "*", subresource: string, ...allowed: readonly string[]): Access {
  return { resource, subresource, verbs: allowed };
}

/** Whether the accesses cover an action. Events and calls of ports need no access, because they are not resources. */
export function isCovered(action: Action, accesses: readonly Access[]): boolean {
  if (action.type === "event" || action.type === "port") return true;
  if (action.type === "edit") return editVerb(action, accesses) !== undefined;
  const subresource = "subresource" in action ? action.subresource : undefined;
  return isAllowed(verbOf(action.type), action.resource, subresource, accesses);
}

/** Returns the verb that an edit is sent with: "patch" if the accesses allow it, otherwise "update"; undefined if they allow neither. */
export function editVerb(
  { resource, subresource }: Extract<Action, { readonly type: "edit" }>,
  accesses: readonly Access[],
): "patch" | "update" | undefined {
  if (isAllowed("patch", resource, subresource, accesses)) return "patch";
  return isAllowed("update", resource, subresource, accesses) ? "update" : undefined;
}

/** Whether the accesses cover a question. Discovery and questions to ports need no access, because they are not resources. */
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

/** Returns the API group and the name of the resource as RBAC rules and documentation write them: "pods/status". */
export function ruleNameOf({ resource, subresource }: Access): { readonly group: string; readonly name: string } {
  const group = resource === "*" ? "*" : resource.group;
  const plural = resource === "*" ? "*" : resource.plural;
  return { group, name: subresource === undefined ? plural : `${plural}/${subresource}` };
}
