// Questions that look like objects: who am I, may I, whose token is this. They are posted, answered and never stored. Until there is
// authorization, who is of the masters may do everything and nobody else anything.
import type { authenticationv1, authorizationv1, KubernetesObject } from "@kubeloop/core/api";
import type { RequestUser } from "../kinds/kind-rules.ts";
import type { Answer } from "../wire/answer.ts";
import { readObject } from "./read-object.ts";
import { writeOptionsOf } from "./request-options.ts";
import type { RequestScope } from "./request-scope.ts";

type Verb = (scope: RequestScope) => Promise<Answer>;

/** By collection. */
export const reviewVerbs: Readonly<Record<string, Verb>> = {
  "authentication.k8s.io/selfsubjectreviews": review(({ user }) => ({ userInfo: userInfoOf(user) })),
  "authentication.k8s.io/tokenreviews": review((scope, object) => tokenStatus(scope, object)),
  "authorization.k8s.io/selfsubjectaccessreviews": review(({ user }) => accessStatus(user.groups)),
  "authorization.k8s.io/selfsubjectrulesreviews": review(({ user }) => rulesStatus(user)),
  "authorization.k8s.io/subjectaccessreviews": review((_scope, object) => accessStatus(groupsIn(object))),
  "authorization.k8s.io/localsubjectaccessreviews": review((_scope, object) => accessStatus(groupsIn(object))),
};

function review(statusOf: (scope: RequestScope, object: KubernetesObject) => object): Verb {
  return async (scope) => {
    const object = await readObject(scope, writeOptionsOf(scope.request.query, "CreateOptions"));
    return { kind: "plain", code: 201, object: { ...object, status: statusOf(scope, object as KubernetesObject) } };
  };
}

function userInfoOf({ name, uid, groups, extra }: RequestUser): authenticationv1.UserInfo {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(Object.keys(extra).length === 0 ? {} : { extra: extra as Record<string, string[]> }),
  };
}

function tokenStatus({ server }: RequestScope, object: KubernetesObject): authenticationv1.TokenReviewStatus {
  const { spec } = object as authenticationv1.TokenReview;
  const user = server.userOfToken(spec?.token ?? "");
  // As upstream prints one that it does not know: an empty user.
  if (user === undefined) return { user: {}, error: "[invalid bearer token]" };
  return { authenticated: true, user: userInfoOf(user) };
}

const groupsIn = (object: KubernetesObject) => (object as authorizationv1.SubjectAccessReview).spec?.groups ?? [];

const accessStatus = (groups: readonly string[]): authorizationv1.SubjectAccessReviewStatus => ({
  allowed: groups.includes("system:masters"),
});

function rulesStatus({ groups }: RequestUser): authorizationv1.SubjectRulesReviewStatus {
  if (!groups.includes("system:masters")) return { resourceRules: [], nonResourceRules: [], incomplete: false };
  return {
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  };
}
