// Users as the server knows them, and the groups that every request belongs to.
import type { RequestUser } from "../kinds/kind-rules.ts";

export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";

export const anonymousUser: RequestUser = {
  name: "system:anonymous",
  uid: undefined,
  groups: [unauthenticatedGroup],
  extra: {},
};

/** Who asks inside the process, unless somebody else is named. */
export const systemAdmin: RequestUser = {
  name: "system:admin",
  uid: undefined,
  groups: [mastersGroup, authenticatedGroup],
  extra: {},
};

/** Who writes what the server writes by itself. */
export const serverItself: RequestUser = { ...systemAdmin, name: "system:apiserver" };

/** A user in as many words as needed: a name is enough. */
export type UserDescription = Pick<RequestUser, "name"> & Partial<RequestUser>;

/** The user described, who also belongs to everybody's group: `system:authenticated`, or `system:unauthenticated` for the anonymous. */
export function userOf({ name, uid, groups = [], extra = {} }: UserDescription): RequestUser {
  const isNamed = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup);
  const everybody = name === anonymousUser.name ? unauthenticatedGroup : authenticatedGroup;
  return { name, uid, groups: isNamed ? groups : [...groups, everybody], extra };
}
