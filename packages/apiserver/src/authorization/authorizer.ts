// The authorizer until roles are read from their objects: it knows the roles that a real server binds to everybody from its first start
// (`system:public-info-viewer`, `system:discovery`, `system:basic-user`), the masters, and nothing else.

import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from "../authentication/users.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import type {
  AllowedRules,
  Authorizer,
  AuthorizerAttributes,
  Decision,
  NonResourceRule,
  ResourceRule,
} from "./attributes.ts";

/** "always-allow": whoever is authenticated may do everything; the anonymous get no more than they do otherwise. */
export type AuthorizationMode = "default-bindings" | "always-allow";

/** A ClusterRole and the ClusterRoleBinding of the same name. */
interface DefaultBinding {
  readonly name: string;
  readonly groups: readonly string[];
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly NonResourceRule[];
}

const get = ["get"];
const publicPaths = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discoveryPaths = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...publicPaths].sort();

/** In the order of their names: the first that allows is the reason. */
const defaultBindings: readonly DefaultBinding[] = [
  {
    name: "system:basic-user",
    groups: [authenticatedGroup],
    resourceRules: [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ],
  },
  {
    name: "system:discovery",
    groups: [authenticatedGroup],
    nonResourceRules: [{ verbs: get, nonResourceURLs: discoveryPaths }],
  },
  {
    name: "system:public-info-viewer",
    groups: [authenticatedGroup, unauthenticatedGroup],
    nonResourceRules: [{ verbs: get, nonResourceURLs: publicPaths }],
  },
];

const everything: AllowedRules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const allowed: Decision = { isAllowed: true, reason: "" };
const noOpinion: Decision = { isAllowed: false, reason: "" };

export function defaultAuthorizer(mode: AuthorizationMode): Authorizer {
  const mayAll = ({ groups }: RequestUser) =>
    groups.includes(mastersGroup) || (mode === "always-allow" && groups.includes(authenticatedGroup));
  return {
    async authorize(attributes) {
      return mayAll(attributes.user) ? allowed : decideByBindings(attributes);
    },
    async rulesFor(user) {
      if (mayAll(user)) return everything;
      const bound = defaultBindings.filter(({ groups }) => groups.some((group) => user.groups.includes(group)));
      return {
        resourceRules: bound.flatMap(({ resourceRules = [] }) => resourceRules),
        nonResourceRules: bound.flatMap(({ nonResourceRules = [] }) => nonResourceRules),
      };
    },
  };
}

function decideByBindings(attributes: AuthorizerAttributes): Decision {
  for (const binding of defaultBindings) {
    const group = binding.groups.find((each) => attributes.user.groups.includes(each));
    if (group === undefined || !allows(binding, attributes)) continue;
    const { name } = binding;
    const reason = `RBAC: allowed by ClusterRoleBinding "${name}" of ClusterRole "${name}" to Group "${group}"`;
    return { isAllowed: true, reason };
  }
  return noOpinion;
}

function allows({ resourceRules = [], nonResourceRules = [] }: DefaultBinding, asked: AuthorizerAttributes): boolean {
  if (asked.isResourceRequest) {
    const { group, resource, subresource, verb } = asked;
    const what = subresource === "" ? resource : `${resource}/${subresource}`;
    return resourceRules.some(
      ({ verbs, apiGroups, resources }) =>
        verbs.includes(verb) && apiGroups.includes(group) && resources.includes(what),
    );
  }
  const { verb, path } = asked;
  return nonResourceRules.some(
    ({ verbs, nonResourceURLs }) => verbs.includes(verb) && nonResourceURLs.some((url) => matchesUrl(url, path)),
  );
}

/** A star at the end stands for anything. */
function matchesUrl(url: string, path: string): boolean {
  return url.endsWith("*") ? path.startsWith(url.slice(0, -1)) : url === path;
}
