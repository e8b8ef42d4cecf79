import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiServices, customResourceDefinitions, pods } from "../../api/generated/resources.ts";
import type { Resource } from "../../api/resource.ts";
import { allResources } from "../../api/resources.ts";
import { type ApiRequest, collectBytes, type Transport } from "../../api/transport.ts";
import { Cleanup, systemClock } from "../../base/index.ts";
import { inlineCaBundle } from "../credentials/ca-bundle.ts";
import { tokenCredentials } from "../credentials/credentials.ts";
import { HttpTransport } from "../http/http-transport.ts";
import { clusterConfig } from "../kubeconfig/cluster-config.ts";
import { CachedDiscovery } from "./cached-discovery.ts";
import { Discovery } from "./discovery.ts";
import { RestMapper } from "./rest-mapper.ts";

const { signal } = new AbortController();
const cleanup = new Cleanup();
const requests: { readonly request: ApiRequest; readonly status: number }[] = [];
let transport: Transport;

beforeAll(async () => {
  const cluster = cleanup.use(await RealCluster.start({}, signal));
  const http = cleanup.use(
    new HttpTransport(
      clusterConfig({
        server: cluster.url,
        tls: { ca: inlineCaBundle(cluster.caPem), isVerified: true },
        credentials: tokenCredentials(cluster.adminToken),
      }),
    ),
  );
  const send = http.as();
  transport = async (request, own) => {
    const response = await send(request, own);
    requests.push({ request, status: response.status });
    return response;
  };
});
afterAll(() => cleanup[Symbol.asyncDispose]());

const builtIn = allResources().filter((one) => one.servedByDefault);
const aggregated = () => new Discovery(transport);
const legacy = () => new Discovery(transport, { form: "legacy" });

async function create(resource: Resource, object: { readonly metadata: { readonly name: string } }): Promise<void> {
  const { apiVersion, kind, plural } = resource;
  const value = { apiVersion, kind, ...object };
  await using response = await transport(
    {
      method: "POST",
      path: `/apis/${apiVersion}/${plural}`,
      query: [],
      headers: { "content-type": "application/json" },
      body: { kind: "value", value },
      prefers: "bytes",
    },
    signal,
  );
  const text = response.body.kind === "bytes" ? await collectBytes(response.body.bytes, { maxBytes: 1e6 }) : "";
  if (response.status !== 201) throw new Error(`${response.status}: ${Buffer.from(text).toString()}`);
}

async function createWidgets(group: string): Promise<void> {
  await create(customResourceDefinitions, {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"], categories: ["toys"] },
      versions: ["v1", "v1beta1"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
      })),
    },
  } as Parameters<typeof create>[1]);
}

/** Discovery follows a change within a second or so; nothing but asking again tells when. */
async function until<T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const seen = await look();
    if (isThere(seen)) return seen;
    await systemClock.sleep(100, signal);
  }
  throw new Error("it did not come");
}

test("the aggregated form is the registry, in two requests", async () => {
  requests.length = 0;
  const found = await aggregated().discover(signal);
  expect(found.failures.size).toBe(0);
  expect(found.resources).toEqual(builtIn);
  expect(requests.map(({ request }) => request.path).toSorted()).toEqual(["/api", "/apis"]);
});

test("both forms agree", async () => {
  const [one, other] = [await aggregated().discover(signal), await legacy().discover(signal)];
  expect(other).toEqual(one);
  expect(await legacy().serverGroups(signal)).toEqual(await aggregated().serverGroups(signal));
});

test("nothing has changed: two empty answers, the same value", async () => {
  const discovery = aggregated();
  const first = await discovery.discover(signal);
  requests.length = 0;
  expect(await discovery.discover(signal)).toBe(first);
  expect(requests.map(({ status }) => status)).toEqual([304, 304]);
});

test("the version is the one this project is made for", async () => {
  expect(await aggregated().serverVersion(signal)).toMatchObject({ major: "1", minor: expect.stringMatching(/^36/) });
});

test("a kind that has just been defined is found by a miss, with what its definition says", async () => {
  const mapper = new RestMapper(new CachedDiscovery(aggregated()), { minRefreshMs: 0 });
  expect(await mapper.has(pods, signal)).toBe(true);
  const kind = { group: "miss.example.com", kind: "Widget" };
  await expect(mapper.resourceForKind(kind, signal)).rejects.toMatchObject({ reason: "NoMatch" });
  await createWidgets(kind.group);
  const widgets = await until(
    () => mapper.resourceForKind(kind, signal).catch(() => undefined),
    (seen) => seen !== undefined,
  );
  expect(widgets).toEqual({
    ...{ group: kind.group, version: "v1", apiVersion: `${kind.group}/v1`, kind: "Widget", plural: "widgets" },
    ...{ singular: "widget", shortNames: ["wd"], categories: ["toys"], namespaced: true, verbs: expect.anything() },
    ...{ listKind: "WidgetList", schemaName: undefined, servedByDefault: true },
    subresources: [
      { name: "status", group: kind.group, version: "v1", kind: "Widget", verbs: ["get", "patch", "update"] },
      { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] },
    ],
  });
  expect(await mapper.resourceFor("wd", signal)).toEqual(widgets);
  expect(await mapper.resourceFor(`widgets.v1beta1.${kind.group}`, signal)).toMatchObject({ version: "v1beta1" });
  expect(await mapper.resourcesInCategory("toys", signal)).toEqual([widgets]);
  const [one, other] = [await aggregated().discover(signal), await legacy().discover(signal)];
  expect(other).toEqual(one);
});

test("an aggregated API without a backend is a failure beside the rest, in both forms", async () => {
  await create(apiServices, {
    metadata: { name: "v1beta1.broken.example.com" },
    spec: {
      ...{ group: "broken.example.com", version: "v1beta1", groupPriorityMinimum: 100, versionPriority: 100 },
      ...{ service: { namespace: "default", name: "nobody" }, insecureSkipTLSVerify: true },
    },
  } as Parameters<typeof create>[1]);
  const isThere = (seen: { readonly failures: ReadonlyMap<string, Error> }) => seen.failures.size > 0;
  const one = await until(() => aggregated().discover(signal), isThere);
  const other = await until(() => legacy().discover(signal), isThere);
  for (const { resources, failures, groups } of [one, other]) {
    expect(resources).toEqual(expect.arrayContaining([...builtIn]));
    expect([...failures.keys()]).toEqual(["broken.example.com/v1beta1"]);
    expect(groups).toContainEqual({
      ...{ name: "broken.example.com", versions: ["v1beta1"], preferredVersion: "v1beta1" },
    });
  }
  expect(one.failures.get("broken.example.com/v1beta1")).toMatchObject({ reason: "Stale" });
  expect(other.failures.get("broken.example.com/v1beta1")).toMatchObject({ reason: "ServiceUnavailable" });
  expect(other.groups).toEqual(one.groups);
});

test("a stranger is refused in the server's words", async () => {
  const stranger: Transport = (request, own) =>
    transport({ ...request, headers: { ...request.headers, authorization: "Bearer wrong" } }, own);
  await expect(new Discovery(stranger).discover(signal)).rejects.toMatchObject({
    reason: "Unauthorized",
  });
});
