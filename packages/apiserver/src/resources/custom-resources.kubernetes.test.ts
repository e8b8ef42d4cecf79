// The same requests for a resource without a Go type, to a real server that has a definition of it and to this one, which has it in its catalogue:
// the answers are the same, refusals word by word.
import { request } from "node:https";
import { Cleanup, deferred, systemClock } from "@kubeloop/core/base";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ApiServer } from "../api-server.ts";
import { loadProtobuf } from "../wire/protobuf/index.ts";
import { storedWidgets, widgetsPath } from "./widgets.fixture.ts";

interface Target {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly accept?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** When the answer begins. */
  onBegun?(): void;
}

interface Answer {
  readonly code: number;
  readonly type: string;
  readonly bytes: Buffer;
}

const cleanup = new Cleanup();
let real: Target;
let embedded: Target;
let server: ApiServer;
const protobufType = "application/vnd.kubernetes.protobuf";
const protobuf = await loadProtobuf();

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

function call(
  { url, caPem, token }: Target,
  { method = "GET", path = widgetsPath, accept, type, body, onBegun }: Sent,
) {
  const headers = {
    authorization: `Bearer ${token}`,
    "user-agent": "compared/1",
    ...(accept === undefined ? {} : { accept }),
    ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
  };
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false, ca: caPem }, (response) => {
      onBegun?.();
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        const answered = response.headers["content-type"] ?? "";
        resolve({ code: response.statusCode ?? 0, type: answered, bytes: Buffer.concat(pieces) });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Until the definition is served, which takes a real server a moment. */
async function untilServed(target: Target): Promise<void> {
  while ((await call(target, {})).code !== 200) await systemClock.sleep(100, new AbortController().signal);
}

beforeAll(async () => {
  const cluster = cleanup.use(await RealCluster.start());
  real = { url: cluster.url, caPem: cluster.caPem, token: cluster.adminToken };
  server = cleanup.use(await ApiServer.open());
  server.catalogue.add([storedWidgets()]);
  const { url, admin } = await server.listen();
  embedded = { url, caPem: admin.caPem ?? "", token: admin.token };
  await call(real, { method: "POST", path: definitionsPath, body: JSON.stringify(definition) });
  await untilServed(real);
  for (const target of [real, embedded]) {
    const body = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"there"},"spec":{"size":1}}';
    expect((await call(target, { method: "POST", body })).code).toBe(201);
  }
}, 120_000);
afterAll(() => cleanup[Symbol.asyncDispose]());

const changing = new Set(["resourceVersion", "uid", "creationTimestamp", "time", "storageVersionHash"]);

/** Texts may quote a whole object. */
const withoutChanging = (text: string) =>
  text
    .replaceAll(/[0-9]{4}-[0-9-]+T[0-9:]+Z/g, "<time>")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/(resourceVersion\\*":\\*")[0-9]+/g, "$1<version>");

/** Without what is different on every server. */
function comparable({ code, type, bytes }: Answer): object {
  if (type.startsWith(protobufType)) {
    const { kind, value } = protobuf.decodeEnvelope(bytes);
    return { code, type, kind, ...(kind === "Status" ? { message: value["message"], reason: value["reason"] } : {}) };
  }
  const text = bytes.toString("utf8");
  if (type.startsWith("application/yaml")) return { code, type, value: parse(text) as unknown };
  if (!type.startsWith("application/json")) return { code, type, text };
  const value = JSON.parse(text, (name, held: unknown) =>
    changing.has(name) ? undefined : typeof held === "string" ? withoutChanging(held) : held,
  ) as object;
  return { code, type, value };
}

const there = `${widgetsPath}/there`;
const post = (body: string | Uint8Array, more: Sent = {}): Sent => ({ method: "POST", body, ...more });
const patch = (type: string, body: string): Sent => ({ method: "PATCH", path: there, type, body });
const strict = `${widgetsPath}?fieldValidation=Strict`;
const whole = '{"kind":"Widget","apiVersion":"example.com/v1"';
const enveloped = protobuf.wrapRaw({ apiVersion: "example.com/v1", kind: "Widget" }, new Uint8Array());
const metadata = (kind: string) => `${protobufType};as=${kind};g=meta.k8s.io;v=v1`;

describe("a custom resource is answered as by a real server", () => {
  for (const [fact, sent] of [
    ["an object that says no kind", post('{"apiVersion":"example.com/v1"}')],
    ["an object that says no version", post('{"kind":"Widget","metadata":{"name":"a"}}')],
    ["an object of another version", post('{"kind":"Widget","apiVersion":"example.com/v9"}')],
    ["an object of no version", post('{"kind":"Widget","apiVersion":"a/b/c"}')],
    ["an object of another kind", post('{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"a"}}')],
    ["an object of a built-in kind", post('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}')],
    ["an object whose name is a number", post(`${whole},"metadata":{"name":5}}`)],
    ["an object whose metadata is a list", post(`${whole},"metadata":[]}`)],
    ["a kind that is a number", post('{"kind":5,"apiVersion":"example.com/v1"}')],
    ["what is no JSON", post("{")],
    ["what is a list", post("[]")],
    ["nothing", post("")],
    ["null", post("null")],
    [
      "a field that came twice, strictly",
      post(`${whole},"metadata":{"name":"s"},"spec":{"a":1,"a":2}}`, { path: strict }),
    ],
    ["unknown metadata, strictly", post(`${whole},"metadata":{"name":"s","b":1}}`, { path: strict })],
    [
      "YAML",
      post("kind: Widget\napiVersion: example.com/v1\nmetadata: {name: y}\nspec: {a: []}\n", {
        type: "application/yaml",
      }),
    ],
    [
      "an object with odd values",
      post(`${whole},"metadata":{"name":"odd","labels":{}},"spec":{"a":null,"b":{},"c":[],"d":1.5},"e":""}`),
    ],
    // A real server panics over one where it is to say what is wrong with its fields.
    ["an object as protobuf", post(enveloped, { type: protobufType, path: `${widgetsPath}?fieldValidation=Ignore` })],
    ["an unknown type of body", post("{}", { type: "text/plain" })],
    ["an object, asked for as protobuf", { path: there, accept: protobufType }],
    ["an object, asked for as protobuf or JSON", { path: there, accept: `${protobufType},application/json` }],
    ["its metadata as protobuf", { path: there, accept: metadata("PartialObjectMetadata") }],
    ["metadata of all as protobuf", { accept: metadata("PartialObjectMetadataList") }],
    ["an unknown type of answer", { path: there, accept: "text/plain" }],
    ["a watch as YAML", { path: `${widgetsPath}?watch=1`, accept: "application/yaml" }],
    ["a watch as protobuf", { path: `${widgetsPath}?watch=1`, accept: protobufType }],
    ["one that is not there", { path: `${widgetsPath}/none` }],
    ["one that is not there, as protobuf", { path: `${widgetsPath}/none`, accept: metadata("PartialObjectMetadata") }],
    ["a strategic merge patch", patch("application/strategic-merge-patch+json", "{}")],
    ["an unknown type of patch", patch("text/plain", "{}")],
    ["a patch that is no JSON", patch("application/merge-patch+json", "{")],
    ["a patch to another kind", patch("application/merge-patch+json", '{"kind":"Gadget"}')],
    ["a patch to another version", patch("application/merge-patch+json", '{"apiVersion":"example.com/v9"}')],
    ["a patch to no kind", patch("application/merge-patch+json", '{"kind":null}')],
    ["a patch to odd metadata", patch("application/merge-patch+json", '{"metadata":{"labels":5}}')],
    ["a patch", patch("application/merge-patch+json", '{"spec":{"color":{"red":[]}}}')],
    ["operations", patch("application/json-patch+json", '[{"op":"add","path":"/spec/list","value":[]}]')],
    ["an object", { path: there }],
    ["all objects", {}],
    ["an unknown subresource", { path: `${there}/nonsense` }],
    ["a subresource, deleted", { method: "DELETE", path: `${there}/status` }],
    ["another resource of its group", { path: "/apis/example.com/v1/namespaces/default/gadgets" }],
    ["another version of it", { path: "/apis/example.com/v9/namespaces/default/widgets" }],
    ["an object in no namespace", { path: "/apis/example.com/v1/widgets/there" }],
    ["a collection, put", { method: "PUT", body: "{}" }],
    ["the document of its group", { path: "/apis/example.com" }],
    ["the document of its version", { path: "/apis/example.com/v1" }],
    ["the document of another version", { path: "/apis/example.com/v9" }],
  ] as const) {
    test(fact, async () => {
      expect(comparable(await call(embedded, sent))).toEqual(comparable(await call(real, sent)));
    });
  }
});

test("when it is no longer served, its watches end without an error, and then nobody knows its group", async () => {
  const begun = [deferred(), deferred()] as const;
  const watches = [real, embedded].map((target, i) =>
    call(target, { path: `${widgetsPath}?watch=1`, onBegun: () => begun[i]?.resolve() }),
  );
  await Promise.all(begun.map(({ promise }) => promise));
  server.catalogue.remove([{ group: "example.com", version: "v1", plural: "widgets" }]);
  await call(real, { method: "DELETE", path: `${definitionsPath}/widgets.example.com` });
  for (const { code, bytes } of await Promise.all(watches)) {
    expect([code, bytes.toString("utf8").includes('"ERROR"')]).toEqual([200, false]);
  }
  for (const path of [widgetsPath, there, "/apis/example.com", "/apis/example.com/v1"]) {
    expect(comparable(await call(embedded, { path }))).toEqual(comparable(await call(real, { path })));
  }
}, 120_000);
