// What a server says of itself while it listens, held against a real kube-apiserver on the same machine that advertises the same address.
import { type KubernetesObject, noBody, type Transport } from "@kubeloop/core/api";
import { Cleanup } from "@kubeloop/core/base";
import { clusterConfig, HttpTransport, inlineCaBundle, tokenCredentials } from "@kubeloop/core/client";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";

const never = new AbortController().signal;
const advertiseAddress = "10.20.30.40";
const cleanup = new Cleanup();
let real: Transport;
let embedded: Transport;

beforeAll(async () => {
  const flags = [`--advertise-address=${advertiseAddress}`];
  const cluster = cleanup.use(await RealCluster.start({ extraFlags: { "kube-apiserver": flags } }, never));
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  const config = clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) });
  real = cleanup.use(new HttpTransport(config)).as({ credentials: config.credentials });
  const server = cleanup.use(await ApiServer.open());
  await server.listen({ advertiseAddress });
  embedded = server.transport;
});
afterAll(async () => {
  await cleanup[Symbol.asyncDispose]();
});

/** The first object that is there, or comes, under this name or label; fails by the test's own time limit. */
async function firstOf(transport: Transport, path: string, query: readonly (readonly [string, string])[]) {
  const watching = [...query, ["watch", "1"], ["timeoutSeconds", "30"]] as const;
  const request = { method: "GET", path, query: watching, headers: {}, body: noBody, prefers: "values" } as const;
  await using response = await transport(request, never);
  if (response.body.kind === "values") {
    for await (const event of response.body.values) return (event as { object: KubernetesObject }).object;
  }
  if (response.body.kind === "bytes") {
    let text = "";
    for await (const chunk of response.body.bytes) {
      text += Buffer.from(chunk).toString("utf8");
      const end = text.indexOf("\n");
      if (end >= 0) return (JSON.parse(text.slice(0, end)) as { object: KubernetesObject }).object;
    }
  }
  throw new Error(`nothing came of ${path}`);
}

/** Without what no two servers have in common. */
function normal(object: KubernetesObject): unknown {
  return JSON.parse(
    JSON.stringify(object, (name, value: unknown) => {
      if (["uid", "resourceVersion"].includes(name)) return undefined;
      if (["creationTimestamp", "time", "renewTime"].includes(name)) return "a time";
      if (name === "holderIdentity") return String(value).replace(/[0-9a-f-]{36}$/, "<uid>");
      if (["port", "targetPort"].includes(name) && value !== 443) return "a port";
      if (name === "kubernetes.io/peer-advertise-address") return String(value).replace(/\d+$/, "<port>");
      // The first objects are made of what a real server shows, not of what it sent.
      if (name === "managedFields" && object.kind === "Service") return undefined;
      if (name === "client-ca-file") return "certificates";
      return value;
    }),
  );
}

const named = (name: string) => [["fieldSelector", `metadata.name=${name}`]] as const;
test.each([
  ["Endpoints", "/api/v1/namespaces/default/endpoints", named("kubernetes")],
  ["EndpointSlice", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", named("kubernetes")],
  ["Service", "/api/v1/namespaces/default/services", named("kubernetes")],
  [
    "Lease",
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
    [["labelSelector", "apiserver.kubernetes.io/identity=kube-apiserver"]] as const,
  ],
])("%s", async (_kind, path, query) => {
  expect(normal(await firstOf(embedded, path, query))).toEqual(normal(await firstOf(real, path, query)));
});

test("the authority that vouches for clients stands under the same name", async () => {
  const path = "/api/v1/namespaces/kube-system/configmaps";
  const query = named("extension-apiserver-authentication");
  const theirs = normal(await firstOf(real, path, query)) as { data: object; metadata: object };
  const ours = normal(await firstOf(embedded, path, query)) as typeof theirs;
  expect(theirs).toMatchObject({ kind: "ConfigMap", data: { "client-ca-file": "certificates" } });
  expect(ours.data).toEqual({ "client-ca-file": "certificates" });
});
