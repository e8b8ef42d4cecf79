// Impersonation: the headers by which a request asks to be treated as another user's. Each part of that identity is a right of its own (verb
// `impersonate` on users, groups, serviceaccounts, uids, userextras), and the authorizer is asked for each before the request is anybody else's.
//
// Promise: no impersonation header is passed over: the request is the other user's, or it is refused.
import { type ApiRequest, newBadRequest } from "@kubeloop/core/api";
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from "../authentication/users.ts";
import { userSyntax } from "../go-prose/go-syntax.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { type Authorizer, authorizeOrThrow, type ResourceAttributes } from "./attributes.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";
const authenticationGroup = "authentication.k8s.io";

/** One part of the identity that is asked for. */
interface Part {
  readonly kind: "ServiceAccount" | "User" | "Group" | "UserExtra" | "UID";
  readonly name: string;
  readonly namespace?: string;
  /** Of an extra. */
  readonly key?: string;
}

/** The user the request is to be treated as; throws 403 where the sender may not, 400 where no user is named. */
export async function impersonatedUser(
  request: ApiRequest,
  sender: RequestUser,
  authorizer: Authorizer,
): Promise<RequestUser> {
  const parts = partsOf(request);
  if (parts.length === 0) return sender;
  for (const part of parts) await authorizeOrThrow(authorizer, attributesOf(part, sender));
  const [user] = parts;
  if (user === undefined || (user.kind !== "User" && user.kind !== "ServiceAccount")) throw nobodyNamed(parts);
  const name = user.kind === "User" ? user.name : `system:serviceaccount:${user.namespace}:${user.name}`;
  const extra: Record<string, string[]> = {};
  for (const { key = "", name: value } of ofKind(parts, "UserExtra")) {
    extra[key] ??= [];
    extra[key].push(value);
  }
  const uid = ofKind(parts, "UID")[0]?.name;
  return { name, uid, groups: groupsOf(user, name, parts), extra };
}

const ofKind = (parts: readonly Part[], kind: Part["kind"]) => parts.filter((part) => part.kind === kind);

/** Those asked for, else a service account's own; and everybody's group, unless one of those was asked for. */
function groupsOf({ kind, namespace }: Part, name: string, parts: readonly Part[]): readonly string[] {
  const asked = ofKind(parts, "Group").map((part) => part.name);
  const own = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const groups = asked.length === 0 && kind === "ServiceAccount" ? own : asked;
  if (name === anonymousUser.name) {
    return groups.includes(unauthenticatedGroup) ? groups : [...groups, unauthenticatedGroup];
  }
  const isNamed = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup);
  return isNamed ? groups : [...groups, authenticatedGroup];
}

/** The user first. */
function partsOf({ headers }: ApiRequest): readonly Part[] {
  const user: Part[] = [];
  const others: Part[] = [];
  for (const header in headers) {
    if (!header.startsWith(prefix)) continue;
    const values = valuesOf(headers[header]);
    const [first = ""] = values;
    if (header === "impersonate-user" && first !== "") user.push(userPart(first));
    if (header === "impersonate-group") others.push(...values.map((name) => ({ kind: "Group", name }) as const));
    if (header === "impersonate-uid" && first !== "") others.push({ kind: "UID", name: first });
    if (header.startsWith(extraPrefix)) {
      const key = unescapeKey(header.slice(extraPrefix.length));
      others.push(...values.map((name) => ({ kind: "UserExtra", name, key }) as const));
    }
  }
  if (user.length === 0 && others.length > 0) throw nobodyNamed(others);
  return [...user, ...others];
}

function userPart(name: string): Part {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (account === null) return { kind: "User", name };
  return { kind: "ServiceAccount", namespace: account[1] as string, name: account[2] as string };
}

/** Headers carry one byte a character; the text is UTF-8. */
function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  const values = value === undefined ? [] : typeof value === "string" ? [value] : value;
  return values.map((text) => Buffer.from(text, "latin1").toString("utf8"));
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function attributesOf({ kind, name, namespace = "", key = "" }: Part, user: RequestUser): ResourceAttributes {
  const common = { isResourceRequest: true, user, verb: "impersonate", namespace, name, subresource: "" } as const;
  switch (kind) {
    case "ServiceAccount":
      return { ...common, group: "", version: "v1", resource: "serviceaccounts" };
    case "User":
      return { ...common, group: "", version: "v1", resource: "users" };
    case "Group":
      return { ...common, group: "", version: "v1", resource: "groups" };
    case "UserExtra":
      return { ...common, group: authenticationGroup, version: "v1", resource: "userextras", subresource: key };
    case "UID":
      return { ...common, group: authenticationGroup, version: "v1", resource: "uids" };
  }
}

function nobodyNamed(parts: readonly Part[]) {
  const groups = ofKind(parts, "Group").map(({ name }) => name);
  const uid = ofKind(parts, "UID")[0]?.name ?? "";
  const extra = new Map<string, string[]>();
  for (const { key = "", name } of ofKind(parts, "UserExtra")) extra.set(key, [...(extra.get(key) ?? []), name]);
  const user = userSyntax({ name: "", uid, groups, extra });
  return newBadRequest(`requested ${user} without impersonating a user name`);
}
