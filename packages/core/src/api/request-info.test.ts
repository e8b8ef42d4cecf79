import { expect, test } from "vitest";
import { requestInfoOf } from "./request-info.ts";
import { parseQuery } from "./transport.ts";

test.each([
  ["GET", "/api/v1/pods", "list pods"],
  ["GET", "/api/v1/namespaces/n/pods", "list pods in n"],
  ["GET", "/api/v1/namespaces/n/pods/p", "get pods p in n"],
  ["HEAD", "/api/v1/namespaces/n/pods/p", "get pods p in n"],
  ["GET", "/api/v1/namespaces/n/pods/p/log", "get pods/log p in n"],
  ["GET", "/api/v1/pods?watch=true", "watch pods"],
  ["GET", "/api/v1/pods?watch=1", "watch pods"],
  ["GET", "/api/v1/pods?watch=false", "list pods"],
  ["GET", "/api/v1/pods?watch=0", "list pods"],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Dp", "list pods p"],
  ["GET", "/api/v1/pods?watch=true&fieldSelector=metadata.name=p,spec.x!=y", "watch pods p"],
  ["GET", "/api/v1/pods?fieldSelector=metadata.name=a/b", "list pods"],
  ["GET", "/api/v1/pods?fieldSelector=nonsense", "list pods"],
  ["GET", "/api/v1/watch/pods", "watch pods"],
  ["GET", "/api/v1/watch/namespaces/n/pods/p", "watch pods p in n"],
  ["POST", "/api/v1/namespaces/n/pods", "create pods in n"],
  ["POST", "/api/v1/namespaces/n/pods/p/eviction", "create pods/eviction p in n"],
  ["PUT", "/apis/apps/v1/namespaces/n/deployments/d/status", "update deployments/status d in n of apps"],
  ["PATCH", "/apis/apps/v1/namespaces/n/deployments/d", "patch deployments d in n of apps"],
  ["DELETE", "/apis/apps/v1/namespaces/n/deployments/d", "delete deployments d in n of apps"],
  ["DELETE", "/apis/apps/v1/namespaces/n/deployments", "deletecollection deployments in n of apps"],
  ["GET", "/api/v1/namespaces", "list namespaces"],
  ["GET", "/api/v1/namespaces/n", "get namespaces n in n"],
  ["PUT", "/api/v1/namespaces/n/finalize", "update namespaces/finalize n in n"],
  ["PUT", "/api/v1/namespaces/n/status", "update namespaces/status n in n"],
  [
    "GET",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    "get clusterroles system:node of rbac.authorization.k8s.io",
  ],
  ["GET", "/api/v1/pods/", "list pods"],
  ["OPTIONS", "/api/v1/pods", " pods"],
  ["GET", "/api/v1", "path get /api/v1"],
  ["GET", "/apis/apps/v1", "path get /apis/apps/v1"],
  ["GET", "/healthz", "path get /healthz"],
  ["POST", "/", "path post /"],
  ["GET", "/metrics/cadvisor/x/y", "path get /metrics/cadvisor/x/y"],
  ["GET", "/api/v1/pods/%zz", "get pods %zz"],
])("%s %s is: %s", (method, url, expected) => {
  const [path = "", query = ""] = url.split("?");
  const info = requestInfoOf({ method, path, query: parseQuery(query) });
  if (!info.isResourceRequest) {
    expect(`path ${info.verb} ${info.path}`).toBe(expected);
    return;
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const words = [
    `${info.verb} ${resource}`,
    info.name,
    info.namespace && `in ${info.namespace}`,
    info.group && `of ${info.group}`,
  ];
  expect(words.filter((word) => word !== "").join(" ")).toBe(expected);
});
