// Questions that look like objects: who am I, may I, whose token is this. They are posted, answered and never stored. The server's own
// authenticator and authorizer answer them, so that an answer is what a request would meet.
import {
  type authenticationv1,
  type authorizationv1,
  childPath,
  type Fault,
  fieldPath,
  invalidFault,
  type KubernetesObject,
  newBadRequest,
  newInvalid,
  printTime,
} from "@kubeloop/core/api";
import type { AuthorizerAttributes } from "../../authorization/attributes.ts";
import type { Draft, RequestUser } from "../../kinds/kind-rules.ts";
import type { Answer } from "../../wire/answer.ts";
import { writeOptionsOf } from "../options/request-options.ts";
import { admitAndValidate } from "../registry/admission-attributes.ts";
import { managerOf } from "../registry/field-managers.ts";
import { readObject } from "./read-object.ts";
import type { RequestScope } from "./request-scope.ts";

type Verb = (scope: RequestScope) => Promise<Answer>;

/** By collection. */
export const reviewVerbs: Readonly<Record<string, Verb>> = {
  "authentication.k8s.io/selfsubjectreviews": review(async ({ user, server }, object) => {
    object.metadata.creationTimestamp = printTime(server.clock.now());
    return { userInfo: userInfoOf(user) };
  }),
  "authentication.k8s.io/tokenreviews": review(tokenStatus),
  "authorization.k8s.io/selfsubjectaccessreviews": review((scope, object) =>
    accessStatus(scope, (object as unknown as authorizationv1.SelfSubjectAccessReview).spec ?? {}, scope.user),
  ),
  "authorization.k8s.io/selfsubjectrulesreviews": reviewRules,
  "authorization.k8s.io/subjectaccessreviews": review(otherAccessStatus),
  "authorization.k8s.io/localsubjectaccessreviews": review(otherAccessStatus),
};

function review(statusOf: (scope: RequestScope, object: Draft<KubernetesObject>) => Promise<object>): Verb {
  return async (scope) => {
    const options = writeOptionsOf(scope.request.query, "CreateOptions");
    const object = await readObject(scope, options);
    const manager = managerOf(options.fieldManager, scope.userAgent);
    const recording = scope.server.fieldManagers.record({ context: scope, draft: object, old: undefined, manager });
    if (recording !== undefined) await recording;
    await admitAndValidate(scope, { operation: "CREATE", object, options, isDryRun: options.isDryRun });
    const status = await statusOf(scope, object);
    return { kind: "plain", code: 201, object: { ...object, status }, codec: scope.served.codec };
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

async function tokenStatus(
  { server }: RequestScope,
  object: Draft<KubernetesObject>,
): Promise<authenticationv1.TokenReviewStatus> {
  const { spec } = object as unknown as authenticationv1.TokenReview;
  const user = await server.authenticator.authenticateToken(spec?.token ?? "");
  // As upstream prints one that it does not know: an empty user.
  if (user === undefined) return { user: {}, error: "[invalid bearer token]" };
  return { authenticated: true, user: userInfoOf(user) };
}

type AccessSpec = authorizationv1.SelfSubjectAccessReviewSpec;

/** Of a user that the review names, in whatever groups it says. */
async function otherAccessStatus(
  scope: RequestScope,
  object: Draft<KubernetesObject>,
): Promise<authorizationv1.SubjectAccessReviewStatus> {
  const spec = (object as unknown as authorizationv1.SubjectAccessReview).spec ?? {};
  const { user: name = "", groups = [], uid, extra = {} } = spec;
  const faults: Fault[] = [];
  if (name === "" && groups.length === 0) {
    const path = childPath(fieldPath("spec"), "user");
    faults.push(invalidFault(path, "", "at least one of user or group must be specified"));
  }
  return await accessStatus(scope, spec, { name, uid, groups, extra }, faults);
}

async function accessStatus(
  { server, served }: RequestScope,
  spec: AccessSpec,
  user: RequestUser,
  faults: readonly Fault[] = [],
): Promise<authorizationv1.SubjectAccessReviewStatus> {
  const all = [...accessFaults(spec), ...faults];
  // Upstream's oddity: at that point the object no longer knows its kind.
  if (all.length > 0) throw newInvalid({ group: served.resource.group, kind: "" }, "", { faults: all });
  const { isAllowed, reason } = await server.authorizer.authorize(attributesIn(spec, user));
  return { allowed: isAllowed, ...(reason === "" ? {} : { reason }) };
}

function accessFaults({ resourceAttributes, nonResourceAttributes }: AccessSpec): Fault[] {
  const path = fieldPath("spec");
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = "cannot be specified in combination with resourceAttributes";
    const { path: Path = "", verb: Verb = "" } = nonResourceAttributes;
    return [invalidFault(childPath(path, "nonResourceAttributes"), { Path, Verb }, why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidFault(childPath(path, "resourceAttributes"), null, why)];
}

function attributesIn(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  user: RequestUser,
): AuthorizerAttributes {
  if (resourceAttributes === undefined) {
    const { verb = "", path = "" } = nonResourceAttributes ?? {};
    return { isResourceRequest: false, user, verb, path };
  }
  const {
    verb = "",
    group = "",
    version = "",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = resourceAttributes;
  return { isResourceRequest: true, user, verb, group, version, resource, subresource, namespace, name };
}

/** The answer is a new object: it does not say again what was asked. */
async function reviewRules(scope: RequestScope): Promise<Answer> {
  const answer = await review(rulesStatus)(scope);
  if (answer.kind !== "plain") return answer;
  const { kind, apiVersion, status } = answer.object as authorizationv1.SelfSubjectRulesReview;
  return { ...answer, object: { kind, apiVersion, metadata: {}, spec: {}, status } };
}

async function rulesStatus(
  { server, user }: RequestScope,
  object: Draft<KubernetesObject>,
): Promise<authorizationv1.SubjectRulesReviewStatus> {
  const { namespace = "" } = (object as unknown as authorizationv1.SelfSubjectRulesReview).spec ?? {};
  if (namespace === "") throw newBadRequest("no namespace on request");
  const { resourceRules, nonResourceRules } = await server.authorizer.rulesFor(user, namespace);
  return {
    resourceRules: resourceRules.map((rule) => ({ ...rule })),
    nonResourceRules: nonResourceRules.map((rule) => ({ ...rule })),
    incomplete: false,
  } as authorizationv1.SubjectRulesReviewStatus;
}
