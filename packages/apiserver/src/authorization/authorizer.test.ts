import { requestInfoOf } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { anonymousUser, systemAdmin, userOf } from "../authentication/users.ts";
import type { RequestUser } from "../kinds/kind-rules.ts";
import { attributesOf, authorizeOrThrow } from "./attributes.ts";
import { type AuthorizationMode, defaultAuthorizer } from "./authorizer.ts";

const jane = userOf({ name: "jane", groups: ["developers"] });

async function refusalOf(request: string, user: RequestUser, mode: AuthorizationMode = "default-bindings") {
  const [method = "", url = ""] = request.split(" ");
  const [path = "", search = ""] = url.split("?");
  const query = [...new URLSearchParams(search)] as [string, string][];
  const attributes = attributesOf(requestInfoOf({ method, path, query }), user);
  return await authorizeOrThrow(defaultAuthorizer(mode), attributes).then(
    () => "allowed",
    (error: unknown) => (error as Error).message,
  );
}

const secrets = "GET /api/v1/namespaces/default/secrets";

describe("the anonymous", () => {
  test.each(["/healthz", "/livez", "/readyz", "/version", "/version/"])("may get %s", async (path) => {
    expect(await refusalOf(`GET ${path}`, anonymousUser)).toBe("allowed");
  });

  const user = 'User "system:anonymous" cannot';
  test.each([
    ["GET /healthz/etcd", `forbidden: ${user} get path "/healthz/etcd"`],
    ["POST /version", `forbidden: ${user} post path "/version"`],
    ["GET /api", `forbidden: ${user} get path "/api"`],
    ["GET /a<b", `forbidden: ${user} get path "/a&lt;b"`],
    [secrets, `secrets is forbidden: ${user} list resource "secrets" in API group "" in the namespace "default"`],
    [
      "DELETE /apis/apps/v1/namespaces/a/deployments/b",
      `deployments.apps "b" is forbidden: ${user} delete resource "deployments" in API group "apps" in the namespace "a"`,
    ],
    [
      "POST /api/v1/namespaces/a/pods/b/exec",
      `pods "b" is forbidden: ${user} create resource "pods/exec" in API group "" in the namespace "a"`,
    ],
    [
      "GET /api/v1/nodes?watch=1",
      `nodes is forbidden: ${user} watch resource "nodes" in API group "" at the cluster scope`,
    ],
    [
      "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
      `selfsubjectreviews.authentication.k8s.io is forbidden: ${user} create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`,
    ],
  ])("may not %s", async (request, expected) => {
    expect(await refusalOf(request, anonymousUser)).toBe(expected);
    expect(await refusalOf(request, anonymousUser, "always-allow")).toBe(expected);
  });
});

describe("who is known", () => {
  test.each([
    "GET /healthz",
    "GET /api",
    "GET /apis/apps/v1",
    "GET /openapi/v3/apis/apps/v1",
    "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
  ])("may %s", async (request) => {
    expect(await refusalOf(request, jane)).toBe("allowed");
  });

  test.each([
    secrets,
    "GET /metrics",
    "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
    "GET /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  ])("may not %s unless everybody may", async (request) => {
    expect(await refusalOf(request, jane)).toContain('User "jane" cannot ');
    expect(await refusalOf(request, jane, "always-allow")).toBe("allowed");
  });
});

test.each([secrets, "DELETE /api/v1/nodes/a", "GET /metrics"])("the masters may %s", async (request) => {
  expect(await refusalOf(request, systemAdmin)).toBe("allowed");
});
