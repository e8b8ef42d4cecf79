import { describe, expect, test } from "vitest";
import { deployments, namespaces, pods } from "../../api/generated/resources.ts";
import type { ApiRequest, appsv1, corev1, KubernetesObject } from "../../api/index.ts";
import { defineResource, nothingSelector, parseFieldSelector, parseSelector } from "../../api/index.ts";

import { ResourceClient } from "./resource-client.ts";
import { type Answer, type BodyStyle, ScriptedServer } from "./scripted-server.fixture.ts";

const signal = new AbortController().signal;
const styles: readonly BodyStyle[] = ["bytes", "values"];

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop" },
  spec: { containers: [] },
} as const satisfies corev1.Pod;
const list = (kind: string, items: readonly unknown[] = [], metadata: object = { resourceVersion: "9" }) => ({
  kind: `${kind}List`,
  apiVersion: "v1",
  metadata,
  items,
});
const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
const table = { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, columnDefinitions: [], rows: [] };

interface Widget extends KubernetesObject {
  readonly spec?: { readonly size: number };
}
const widgets = defineResource<Widget>({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: false,
  subresources: ["status", "scale"],
});
const widget: Widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };

const inShop = (server: ScriptedServer) => new ResourceClient<corev1.Pod>(pods, server.context()).in("shop");
const everywhere = (server: ScriptedServer) => new ResourceClient<corev1.Pod>(pods, server.context());
const asManager = (server: ScriptedServer) =>
  new ResourceClient<corev1.Pod>(pods, server.context({ fieldManager: "me" })).in("shop");
const metadataOf = (server: ScriptedServer) =>
  new ResourceClient(pods, server.context({ view: "metadata" })).in("shop");

interface Wanted {
  readonly line: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
}
type Fact = readonly [name: string, call: (server: ScriptedServer) => Promise<unknown>, answer: Answer, wanted: Wanted];

const json = "application/json";
const asMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const asMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
const plainDelete = { kind: "DeleteOptions", apiVersion: "v1" };
const shop = "/api/v1/namespaces/shop/pods";
const sent = (line: string, body: unknown, contentType = json): Wanted => ({ line, body, contentType });

const reads: readonly Fact[] = [
  ["get", (s) => inShop(s).get("web", signal), { json: pod }, { line: `GET ${shop}/web` }],
  [
    "get at a version",
    (s) => inShop(s).get("web", { resourceVersion: "0" }, signal),
    { json: pod },
    { line: `GET ${shop}/web?resourceVersion=0` },
  ],
  [
    "get of a cluster-scoped custom object",
    (s) => new ResourceClient<Widget>(widgets, s.context()).get("w", signal),
    { json: widget },
    { line: "GET /apis/example.com/v1/widgets/w" },
  ],
  [
    "get of metadata",
    (s) => metadataOf(s).get("web", signal),
    { json: pod },
    { line: `GET ${shop}/web`, accept: asMetadata },
  ],
  ["list", (s) => inShop(s).list(signal).toArray(), { json: list("Pod") }, { line: `GET ${shop}?limit=500` }],
  [
    "list over all namespaces",
    (s) => everywhere(s).list(signal).toArray(),
    { json: list("Pod") },
    { line: "GET /api/v1/pods?limit=500" },
  ],
  [
    "list with every option",
    (s) =>
      inShop(s)
        .list(
          {
            labelSelector: "app in (a,b)",
            fieldSelector: "spec.nodeName=",
            resourceVersion: "7",
            resourceVersionMatch: "Exact",
            pageSize: 0,
            timeoutSeconds: 30,
          },
          signal,
        )
        .toArray(),
    { json: list("Pod") },
    {
      line: `GET ${shop}?labelSelector=app in (a,b)&fieldSelector=spec.nodeName=&resourceVersion=7&resourceVersionMatch=Exact&timeoutSeconds=30`,
    },
  ],
  [
    "list with selectors as objects",
    (s) =>
      inShop(s)
        .list(
          {
            labelSelector: parseSelector("app in (b,a),!old"),
            fieldSelector: parseFieldSelector("metadata.name=a\\,b"),
            pageSize: 2,
          },
          signal,
        )
        .toArray(),
    { json: list("Pod") },
    { line: `GET ${shop}?labelSelector=app in (a,b),!old&fieldSelector=metadata.name=a\\,b&limit=2` },
  ],
  [
    "list with a selector of nothing asks for nothing, not for everything",
    (s) => inShop(s).list({ labelSelector: nothingSelector, pageSize: 0 }, signal).toArray(),
    { json: list("Pod") },
    { line: `GET ${shop}?labelSelector=nothing,!nothing` },
  ],
  [
    "list of metadata",
    (s) => metadataOf(s).list({ pageSize: 0 }, signal).toArray(),
    { json: list("PartialObjectMetadata") },
    { line: `GET ${shop}`, accept: asMetadataList },
  ],
  [
    "table",
    (s) => inShop(s).table({ labelSelector: "a=b" }, signal),
    { json: table },
    { line: `GET ${shop}?labelSelector=a=b`, accept: asTable },
  ],
  [
    "a table's next page",
    (s) => inShop(s).table({ pageSize: 2, continue: "more" }, signal),
    { json: table },
    { line: `GET ${shop}?limit=2&continue=more`, accept: asTable },
  ],
];

const watches: readonly Fact[] = [
  [
    "watch",
    async (s) => {
      for await (const _ of inShop(s).watch(signal));
    },
    { events: [] },
    { line: `GET ${shop}?watch=true&allowWatchBookmarks=true` },
  ],
  [
    "watch with every option",
    async (s) => {
      const options = {
        labelSelector: "a=b",
        fieldSelector: "metadata.name=web",
        resourceVersion: "7",
        resourceVersionMatch: "NotOlderThan",
        sendInitialEvents: true,
        allowWatchBookmarks: false,
        timeoutSeconds: 30,
      } as const;
      for await (const _ of inShop(s).watch(options, signal));
    },
    { events: [] },
    {
      line: `GET ${shop}?watch=true&labelSelector=a=b&fieldSelector=metadata.name=web&resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=false&timeoutSeconds=30`,
    },
  ],
  [
    "a watch with initial events says how versions match, since servers insist",
    async (s) => {
      for await (const _ of everywhere(s).watch({ sendInitialEvents: true }, signal));
    },
    { events: [] },
    {
      line: "GET /api/v1/pods?watch=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true",
    },
  ],
  [
    "watch of metadata",
    async (s) => {
      for await (const _ of metadataOf(s).watch({ resourceVersion: "7" }, signal));
    },
    { events: [] },
    { line: `GET ${shop}?watch=true&resourceVersion=7&allowWatchBookmarks=true`, accept: asMetadata },
  ],
];

const writes: readonly Fact[] = [
  ["create", (s) => inShop(s).create(pod, signal), { status: 201, json: pod }, sent(`POST ${shop}`, pod)],
  [
    "create where the object says it lives",
    (s) => everywhere(s).create(pod, signal),
    { status: 201, json: pod },
    sent(`POST ${shop}`, pod),
  ],
  [
    "create with every option",
    (s) => inShop(s).create(pod, { fieldManager: "me", fieldValidation: "Strict", dryRun: true }, signal),
    { status: 201, json: pod },
    sent(`POST ${shop}?fieldManager=me&fieldValidation=Strict&dryRun=All`, pod),
  ],
  [
    "create as the client's field manager",
    (s) => asManager(s).create(pod, { dryRun: false }, signal),
    { status: 201, json: pod },
    sent(`POST ${shop}?fieldManager=me`, pod),
  ],
  [
    "create as a field manager of its own",
    (s) => asManager(s).create(pod, { fieldManager: "other" }, signal),
    { status: 201, json: pod },
    sent(`POST ${shop}?fieldManager=other`, pod),
  ],
  [
    "create of a namespace",
    (s) =>
      new ResourceClient<corev1.Namespace>(namespaces, s.context()).create(
        { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "test-" } },
        signal,
      ),
    { status: 201, json: { ...pod, kind: "Namespace" } },
    sent("POST /api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "test-" } }),
  ],
  ["update", (s) => asManager(s).update(pod, signal), { json: pod }, sent(`PUT ${shop}/web?fieldManager=me`, pod)],
  ["updateStatus", (s) => inShop(s).updateStatus(pod, signal), { json: pod }, sent(`PUT ${shop}/web/status`, pod)],
  [
    "JSON patch",
    (s) => inShop(s).patch("web", { type: "json", operations: [{ op: "test", path: "/kind", value: "Pod" }] }, signal),
    { json: pod },
    sent(`PATCH ${shop}/web`, [{ op: "test", path: "/kind", value: "Pod" }], "application/json-patch+json"),
  ],
  [
    "merge patch",
    (s) => asManager(s).patch("web", { type: "merge", body: { spec: null } }, { dryRun: true }, signal),
    { json: pod },
    sent(`PATCH ${shop}/web?fieldManager=me&dryRun=All`, { spec: null }, "application/merge-patch+json"),
  ],
  [
    "strategic merge patch",
    (s) => inShop(s).patch("web", { type: "strategic", body: { spec: {} } }, signal),
    { json: pod },
    sent(`PATCH ${shop}/web`, { spec: {} }, "application/strategic-merge-patch+json"),
  ],
  [
    "apply",
    (s) => asManager(s).apply({ ...pod, spec: { nodeName: "n" } }, { fieldManager: "x" }, signal),
    { status: 201, json: pod },
    sent(`PATCH ${shop}/web?fieldManager=x`, { ...pod, spec: { nodeName: "n" } }, "application/apply-patch+yaml"),
  ],
  [
    "applyStatus by force",
    (s) => inShop(s).applyStatus(pod, { fieldManager: "x", force: true }, signal),
    { json: pod },
    sent(`PATCH ${shop}/web/status?fieldManager=x&force=true`, pod, "application/apply-patch+yaml"),
  ],
];

const deletes: readonly Fact[] = [
  ["delete", (s) => inShop(s).delete("web", signal), { json: done }, sent(`DELETE ${shop}/web`, plainDelete)],
  [
    "delete with every option",
    (s) =>
      inShop(s).delete(
        "web",
        {
          gracePeriodSeconds: 0,
          propagationPolicy: "Foreground",
          preconditions: { uid: "u", resourceVersion: "7" },
          dryRun: true,
        },
        signal,
      ),
    { json: pod },
    sent(`DELETE ${shop}/web`, {
      ...plainDelete,
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
      preconditions: { uid: "u", resourceVersion: "7" },
      dryRun: ["All"],
    }),
  ],
  [
    "deleteCollection",
    (s) =>
      inShop(s).deleteCollection(
        { labelSelector: "a=b", fieldSelector: "x=y", resourceVersion: "7", timeoutSeconds: 3, dryRun: true },
        signal,
      ),
    { json: list("Pod", [pod]) },
    {
      ...sent(`DELETE ${shop}?labelSelector=a=b&fieldSelector=x=y&resourceVersion=7&timeoutSeconds=3`, {
        ...plainDelete,
        dryRun: ["All"],
      }),
      accept: asMetadataList,
    },
  ],
  [
    "deleteCollection with a selector of nothing",
    (s) => inShop(s).deleteCollection({ labelSelector: nothingSelector }, signal),
    { json: list("Pod") },
    { ...sent(`DELETE ${shop}?labelSelector=nothing,!nothing`, plainDelete), accept: asMetadataList },
  ],
];

const scale = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "web" },
  spec: { replicas: 3 },
} as const;
const scaleOf = (server: ScriptedServer) =>
  new ResourceClient<appsv1.Deployment>(deployments, server.context({ fieldManager: "me" }))
    .in("shop")
    .subresource("scale");
const webScale = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } };

const subresources: readonly Fact[] = [
  ["scale: get", (s) => scaleOf(s).get("web", signal), { json: scale }, { line: `GET ${webScale}` }],
  [
    "scale: get at a version",
    (s) => scaleOf(s).get("web", { resourceVersion: "0" }, signal),
    { json: scale },
    { line: `GET ${webScale}?resourceVersion=0` },
  ],
  [
    "scale: update",
    (s) => scaleOf(s).update("web", scale, signal),
    { json: scale },
    sent(`PUT ${webScale}?fieldManager=me`, scale),
  ],
  [
    "scale: patch",
    (s) => scaleOf(s).patch("web", { type: "merge", body: { spec: { replicas: 3 } } }, { fieldManager: "x" }, signal),
    { json: scale },
    sent(`PATCH ${webScale}?fieldManager=x`, { spec: { replicas: 3 } }, "application/merge-patch+json"),
  ],
  [
    "scale: apply",
    (s) => scaleOf(s).apply("web", scale, { fieldManager: "x", force: true }, signal),
    { json: scale },
    sent(`PATCH ${webScale}?fieldManager=x&force=true`, scale, "application/apply-patch+yaml"),
  ],
  [
    "eviction: create, answered by a Status",
    (s) => inShop(s).subresource("eviction").create("web", eviction, { dryRun: true }, signal),
    { status: 201, json: done },
    sent(`POST ${shop}/web/eviction?dryRun=All`, eviction),
  ],
];

const facts = [...reads, ...watches, ...writes, ...deletes, ...subresources];

describe("each verb is one request", () => {
  for (const style of styles) {
    for (const [name, call, answer, wanted] of facts) {
      test(`${name} (${style})`, async () => {
        const server = new ScriptedServer(style, () => answer);
        await call(server);
        expect(server.lines).toEqual([wanted.line]);
        expect(withoutPlace(server.requests[0])).toEqual({
          headers: {
            accept: wanted.accept ?? json,
            ...(wanted.contentType === undefined ? {} : { "content-type": wanted.contentType }),
          },
          body: wanted.body === undefined ? { kind: "none" } : { kind: "value", value: wanted.body },
          prefers: "values",
        });
        expect(server.open).toBe(0);
      });
    }
  }
});

function withoutPlace(request: ApiRequest | undefined) {
  return { headers: request?.headers, body: request?.body, prefers: request?.prefers };
}

describe("each verb answers with what the server sent", () => {
  const bareItem = { metadata: { name: "web" } };
  for (const [name, call, answer, expected] of [
    ["get", (s: ScriptedServer) => inShop(s).get("web", signal), pod, pod],
    ["create", (s: ScriptedServer) => inShop(s).create(pod, signal), pod, pod],
    ["delete of what is gone", (s: ScriptedServer) => inShop(s).delete("web", signal), done, done],
    ["delete of what lives on", (s: ScriptedServer) => inShop(s).delete("web", signal), pod, pod],
    ["deleteCollection", (s: ScriptedServer) => inShop(s).deleteCollection({}, signal), list("Pod", [pod]), undefined],
    ["eviction", (s: ScriptedServer) => inShop(s).subresource("eviction").create("web", eviction, signal), done, done],
    ["table", (s: ScriptedServer) => inShop(s).table(signal), table, table],
    [
      "list: items get their kind",
      (s: ScriptedServer) => inShop(s).list(signal).toArray(),
      list("Pod", [bareItem]),
      { items: [{ kind: "Pod", apiVersion: "v1", ...bareItem }], metadata: { resourceVersion: "9" } },
    ],
    [
      "list: also where the list's own kind does not tell",
      (s: ScriptedServer) => new ResourceClient<Widget>(widgets, s.context()).list(signal).toArray(),
      { kind: "Herd", apiVersion: "example.com/v1", metadata: {}, items: [bareItem] },
      { items: [{ kind: "Widget", apiVersion: "example.com/v1", ...bareItem }], metadata: {} },
    ],
    [
      "list of metadata: also where the list does not tell",
      (s: ScriptedServer) => metadataOf(s).list(signal).toArray(),
      { kind: "List", metadata: {}, items: [bareItem] },
      { items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", ...bareItem }], metadata: {} },
    ],
  ] as const) {
    for (const style of styles) {
      test(`${name} (${style})`, async () => {
        const server = new ScriptedServer(style, () => ({ json: answer }));
        expect(await call(server)).toEqual(expected);
        expect(server.open).toBe(0);
      });
    }
  }

  test("a value is handed out as it is, not copied", async () => {
    const server = new ScriptedServer("values", () => ({ json: pod }));
    expect(await inShop(server).get("web", signal)).toBe(pod);
  });
});
