import { type ApiRequest, type corev1, newStatusError, noBody } from "@kubeloop/core/api";
import { type AskedAccess, type AuthenticatedUser, textResponse } from "@kubeloop/core/runtime";
import { expect, test } from "vitest";
import { type KubeletParts, kubeletHandler } from "./kubelet-handler.ts";

const { signal } = new AbortController();
const pod: corev1.Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web", uid: "1" },
  spec: { nodeName: "node-1", containers: [{ name: "c", image: "web" }] },
};
const users: Readonly<Record<string, AuthenticatedUser>> = {
  nobody: { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} },
  viewer: { name: "viewer", uid: "", groups: ["system:authenticated"], extra: {} },
};

/** The viewer may do what is listed. */
function newKubelet(allowed: readonly string[], answer: KubeletParts["connector"]["answer"]) {
  const asked: string[] = [];
  const describe = ({ resourceAttributes: of = {} }: AskedAccess) => `${of.verb} ${of.subresource} ${of.name}`;
  const handler = kubeletHandler({
    authentication: { userOf: async ({ headers }) => users[String(headers["x-as"])] ?? (users["nobody"] as never) },
    reviews: {
      decide: async (_user, access) => {
        asked.push(describe(access));
        return allowed.includes(describe(access)) ? "allowed" : "no-opinion";
      },
    },
    connector: { answer },
    findPod: (namespace, name) => (namespace === "shop" && name === "web" ? pod : undefined),
    pods: () => [pod],
  });
  return {
    asked,
    async ask(path: string, as = "viewer", method = "GET", query = "") {
      const request: ApiRequest = {
        method,
        path,
        query: [...new URLSearchParams(query)],
        headers: { "x-as": as },
        body: noBody,
        prefers: "bytes",
      };
      const { status, body } = await handler(request, signal, { certificates: [] });
      if (body.kind !== "bytes") throw new Error(`a body of ${body.kind}`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body.bytes) chunks.push(chunk);
      return [status, Buffer.concat(chunks).toString()] as const;
    },
  };
}

const logs = "/containerLogs/shop/web/c";
const mayAll = ["get proxy node-1", "get proxy "];
const served: KubeletParts["connector"]["answer"] = async ({ subresource }, { query }) =>
  textResponse(200, `${subresource} ${query.join(" ")}`);

test.each([
  { what: "what the connector answers", path: logs, is: [200, "log container,c"] },
  { what: "401 for nobody, before anything else", path: logs, as: "nobody", is: [401, "Unauthorized"], asks: [] },
  {
    what: "403 without the right on the pod's node",
    path: logs,
    may: ["get proxy node-2"],
    is: [403, "Forbidden (user=viewer, verb=get, resource=nodes, subresource(s)=[proxy])\n"],
    asks: ["get proxy node-1"],
  },
  {
    what: "the pods with the right on pods alone",
    path: "/pods",
    may: ["get pods "],
    is: [200, JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [pod] })],
    asks: ["get pods "],
  },
  { what: "health with the broader right", path: "/healthz", is: [200, "ok"], asks: ["get healthz ", "get proxy "] },
  { what: "404 for a pod that is not there", path: "/exec/shop/db/c", is: [404, "pod does not exist"] },
  {
    what: "404 with its name for the log of a pod that is not there",
    path: "/containerLogs/shop/db/c",
    is: [404, 'pod "db" does not exist'],
  },
  {
    what: "404 for the log of a container that the pod has not",
    path: "/containerLogs/shop/web/x",
    is: [404, 'container "x" not found in pod "web"'],
  },
  {
    what: "500 for exec in a container that the pod has not",
    path: "/exec/shop/web/x",
    is: [500, 'container not found ("x")'],
  },
  {
    what: "500 for attaching to a container that the pod has not",
    path: "/attach/shop/web/x",
    is: [500, "container x not found in pod web_shop"],
  },
  {
    what: "422 for options of a log that make no sense, before a pod is looked for",
    path: "/containerLogs/shop/db/c",
    query: "tailLines=-1",
    is: [422, '{"message": "Invalid request."}'],
  },
  {
    what: "400 for options of a log that are none",
    path: logs,
    query: "tailLines=some",
    is: [400, '{"message": "Unable to decode query."}'],
  },
  { what: "500 for another pod of that name", path: "/exec/shop/web/2/c", is: [500, 'container not found ("c")'] },
  { what: "the pod of that uid", path: "/exec/shop/web/1/c", is: [200, "exec container,c"] },
  { what: "404 for a path that there is not", path: "/run/shop/web/c", is: [404, "404 page not found\n"] },
  {
    what: "405 for a method that would ask for another right",
    path: logs,
    method: "DELETE",
    may: ["delete proxy node-1"],
    is: [405, "405: Method Not Allowed"],
  },
  {
    what: "exec by the method that old clients use",
    path: "/exec/shop/web/c",
    method: "POST",
    may: ["create proxy node-1"],
    is: [200, "exec container,c"],
  },
  {
    what: "a refusal in words",
    path: logs,
    answer: async () => {
      throw newStatusError({ code: 400, reason: "BadRequest", message: "it waits to start" });
    },
    is: [400, "it waits to start"],
  },
  {
    what: "503 for a node that is cut off",
    path: logs,
    answer: async () => undefined,
    is: [503, "node node-1 is cut off"],
  },
] as readonly {
  readonly what: string;
  readonly path: string;
  readonly as?: string;
  readonly method?: string;
  readonly may?: readonly string[];
  readonly answer?: KubeletParts["connector"]["answer"];
  readonly query?: string;
  readonly is: readonly [number, string];
  readonly asks?: readonly string[];
}[])("the answer is $what", async ({ path, as, method, query, may = mayAll, answer = served, is, asks }) => {
  const kubelet = newKubelet(may, answer);
  expect(await kubelet.ask(path, as, method, query)).toEqual(is);
  if (asks !== undefined) expect(kubelet.asked).toEqual(asks);
});
