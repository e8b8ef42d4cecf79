// What an authorizer is asked, and what it answers. One authorizer (`authorizer.ts`) answers for requests, for access reviews and for impersonation.
//
// Promise: nothing is allowed that no rule allows; the answer depends on the attributes alone.
import { newForbidden, type RequestInfo, type StatusError } from "@kubeloop/core/api";
import type { RequestUser } from "../kinds/kind-rules.ts";

/** Upstream's authorizer.Attributes: who wants to do what to which resource or path. */
export type AuthorizerAttributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly isResourceRequest: true;
  readonly user: RequestUser;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly isResourceRequest: false;
  readonly user: RequestUser;
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** Empty where there is nothing to say. */
  readonly reason: string;
}

/** What a user may do in a namespace, as SelfSubjectRulesReview lists it. */
export interface AllowedRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): Promise<Decision>;
  rulesFor(user: RequestUser, namespace: string): Promise<AllowedRules>;
}

export function attributesOf(info: RequestInfo, user: RequestUser): AuthorizerAttributes {
  const { verb } = info;
  if (!info.isResourceRequest) return { isResourceRequest: false, user, verb, path: info.path };
  const { group, version, resource, subresource, namespace, name } = info;
  return { isResourceRequest: true, user, verb, group, version, resource, subresource, namespace, name };
}

/** Throws 403 in a real server's words. */
export async function authorizeOrThrow(authorizer: Authorizer, attributes: AuthorizerAttributes): Promise<void> {
  const { isAllowed, reason } = await authorizer.authorize(attributes);
  if (!isAllowed) throw forbidden(attributes, reason);
}

function forbidden(attributes: AuthorizerAttributes, reason: string): StatusError {
  const message = escapeHtml(forbiddenMessage(attributes));
  const detail = reason === "" ? message : `${message}: ${reason}`;
  if (!attributes.isResourceRequest) return newForbidden({ group: "", resource: "" }, "", { detail });
  const { group, resource, name } = attributes;
  return newForbidden({ group, resource }, name, { detail });
}

function forbiddenMessage(attributes: AuthorizerAttributes): string {
  const user = `User ${JSON.stringify(attributes.user.name)}`;
  if (!attributes.isResourceRequest) {
    return `${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
  }
  const { group, resource, subresource, verb, namespace } = attributes;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  return `${user} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}

/** A path in the text must not look like a page to a browser. */
const escapeHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
