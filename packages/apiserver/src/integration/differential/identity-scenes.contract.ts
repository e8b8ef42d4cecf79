// Who may do what: requests in somebody else's name, and questions about rights. On both servers the sender is the administrator, and nobody has
// bound any role.
import { ask, get, post, remove } from "./ask.contract.ts";
import type { Scene } from "./request-script.contract.ts";

const secrets = "/api/v1/namespaces/{ns}/secrets";
const reviews = "/apis/authorization.k8s.io/v1";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const jane = { "impersonate-user": "jane" };
const robot = { "impersonate-user": "system:serviceaccount:{ns}:robot" };
const anonymous = { "impersonate-user": "system:anonymous" };
const as = (headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) => ({
  headers: { ...headers, ...more },
});
const head = ask("HEAD");

export const identityScenes: readonly Scene[] = [
  {
    name: "in another's name",
    steps: [
      post("who is jane", whoAmI, {}, as(jane)),
      post("who is jane of a group", whoAmI, {}, as(jane, { "impersonate-group": "developers" })),
      post("who is jane with more", whoAmI, {}, as(jane, { "impersonate-uid": "7", "impersonate-extra-a%2fb": "c" })),
      post("who is a service account", whoAmI, {}, as({ "impersonate-user": "system:serviceaccount:shop:robot" })),
      post("who is of the masters", whoAmI, {}, as(jane, { "impersonate-group": "system:masters" })),
      get("jane lists secrets", secrets, as(jane)),
      get("jane watches secrets", secrets, { ...as(jane), query: { watch: "1" } }),
      get("jane gets one", `${secrets}/a`, as(jane)),
      post("jane makes one", secrets, { metadata: { name: "a" } }, as(jane)),
      remove("jane deletes all", secrets, undefined, as(jane)),
      get("jane lists nodes", "/api/v1/nodes", as(jane)),
      post("jane runs a command", "/api/v1/namespaces/{ns}/pods/a/exec", undefined, as(jane)),
      get("jane discovers", "/apis/apps/v1", as(jane)),
      get("jane looks at health", "/healthz", as(jane)),
      get("jane looks at metrics", "/metrics", as(jane)),
      get("jane looks for nonsense", "/nonsense/<a>", as(jane)),
      get("jane asks for an unknown kind", "/apis/apps/v1/namespaces/{ns}/nonsense", as(jane)),
      head("jane asks for headers", "/api/v1/namespaces/{ns}/pods/a", undefined, as(jane)),
      get("jane asks for a table", secrets, as(jane, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })),
      get("jane asks for yaml", secrets, as(jane, { accept: "application/yaml" })),
      get("a robot lists secrets", secrets, as(robot)),
      get("the anonymous list secrets", secrets, as(anonymous)),
      get("the anonymous discover", "/api", as(anonymous)),
      get("the anonymous look at health", "/readyz", as(anonymous)),
      post("the anonymous ask who they are", whoAmI, {}, as(anonymous)),
      get("a group without a user", secrets, as({ "impersonate-group": "developers" })),
      get("a uid without a user", secrets, as({ "impersonate-uid": "7" })),
      get("an extra without a user", secrets, as({ "impersonate-extra-k": "v" })),
    ],
  },
  {
    name: "questions about rights",
    steps: [
      post("may the administrator", `${reviews}/selfsubjectaccessreviews`, {
        spec: { resourceAttributes: { verb: "list", resource: "secrets", namespace: "{ns}" } },
      }),
      post(
        "may jane herself",
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: { verb: "list", resource: "secrets" } } },
        as(jane),
      ),
      post(
        "may jane discover",
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { nonResourceAttributes: { verb: "get", path: "/api" } } },
        as(jane),
      ),
      post("may jane", `${reviews}/subjectaccessreviews`, {
        spec: { user: "jane", groups: ["system:authenticated"], resourceAttributes: { verb: "get", resource: "pods" } },
      }),
      post("may the masters", `${reviews}/subjectaccessreviews`, {
        spec: { groups: ["system:masters"], resourceAttributes: { verb: "get", resource: "pods" } },
      }),
      post("may nobody", `${reviews}/subjectaccessreviews`, { spec: { resourceAttributes: { verb: "get" } } }),
      post("may jane do nothing", `${reviews}/subjectaccessreviews`, { spec: { user: "jane" } }),
      post("may jane do both", `${reviews}/subjectaccessreviews`, {
        spec: { user: "jane", resourceAttributes: { verb: "get" }, nonResourceAttributes: { verb: "get", path: "/a" } },
      }),
      post("may I do nothing", `${reviews}/selfsubjectaccessreviews`, { spec: {} }),
      post("which rules without a namespace", `${reviews}/selfsubjectrulesreviews`, { spec: {} }),
    ],
  },
];
