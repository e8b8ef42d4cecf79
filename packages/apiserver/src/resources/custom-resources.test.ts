// A resource without a Go type, added while the server runs: it behaves as upstream's custom resources do, and goes as they go.
import { structuralSchema } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { type Asked, ask, namesAt, requestFor } from "../ask.fixture.ts";
import { protobufOn } from "../wire/protobuf-encodings.ts";
import { storedWidgets, type Widget, widget, widgetsPath } from "./widgets.fixture.ts";

const never = new AbortController().signal;
const widgets = { group: "example.com", version: "v1", plural: "widgets" };
const protobuf = "application/vnd.kubernetes.protobuf";
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  server.catalogue.add([storedWidgets()]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

interface Sent extends Omit<Asked, "value"> {
  readonly body?: string | Uint8Array;
}

/** Over the wire's bytes. */
async function send(path: string, { body, ...asked }: Sent = {}) {
  const request = requestFor(path, asked, "bytes");
  const bytes = body === undefined ? request.body : ({ kind: "bytes", bytes: Buffer.from(body) } as const);
  await using response = await server.transport({ ...request, body: bytes }, never);
  const chunks: Uint8Array[] = [];
  if (response.body.kind === "bytes") for await (const chunk of response.body.bytes) chunks.push(chunk);
  const { "content-type": type } = response.headers as { readonly "content-type"?: string };
  return { code: response.status, type, bytes: Buffer.concat(chunks), text: Buffer.concat(chunks).toString("utf8") };
}

const messageIn = (text: string) => (JSON.parse(text) as { readonly message?: string }).message;
const post = (body: string | Uint8Array, more: Sent = {}) => send(widgetsPath, { method: "POST", body, ...more });

describe("an object without a Go type", () => {
  test("is kept as it was sent, nulls, empty values and unknown fields included; only its metadata has a form", async () => {
    const spec = { size: 0, empty: {}, none: null, list: [], nested: [{ any: ["thing", 1.5, false] }] };
    const sent = { ...widget("a"), metadata: { name: "a", labels: {}, generation: 7 }, spec, extra: "" };
    const { code, object } = await ask<Widget>(server, widgetsPath, { method: "POST", value: sent });
    expect([code, object.spec, (object as { extra?: string }).extra]).toEqual([201, spec, ""]);
    expect(object.metadata).toMatchObject({ name: "a", namespace: "default", generation: 1 });
    expect(object.metadata.labels).toBeUndefined();
    const stored = await ask<Widget>(server, `${widgetsPath}/a`);
    expect(stored.object).toEqual(object);
  });

  test("is tracked field by field", async () => {
    const { object } = await ask<Widget>(server, widgetsPath, {
      method: "POST",
      value: widget("a"),
      query: [["fieldManager", "me"]],
    });
    const fieldsV1 = { "f:spec": { ".": {}, "f:size": {} } };
    expect(object.metadata.managedFields).toMatchObject([{ manager: "me", apiVersion: "example.com/v1", fieldsV1 }]);
  });

  test("whose resource has a schema is tracked by it, yet is not decoded by it; its status is not taken from a create", async () => {
    const parts = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" } } },
    };
    const spec = { type: "object", properties: { parts } };
    const status = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const schema = structuralSchema({ type: "object", properties: { spec, status }, required: ["status"] });
    server.catalogue.add([storedWidgets(schema)]);
    const sent = { ...widget("a"), spec: { parts: [{ name: "x", empty: "" }], other: null }, status: { count: 1 } };
    const { object } = await ask<Widget>(server, widgetsPath, { method: "POST", value: sent });
    expect([object.spec, Object.hasOwn(object, "status")]).toEqual([sent.spec, false]);
    expect(JSON.stringify(object.metadata.managedFields)).toContain(String.raw`"k:{\"name\":\"x\"}"`);
  });

  test("keeps its kind in a list, in every encoding", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    const typed = /"items":\[\{"metadata"/;
    expect((await send("/api/v1/namespaces")).text).toMatch(typed);
    expect((await send(widgetsPath)).text).toMatch(
      /"items":\[\{"kind":"Widget","apiVersion":"example.com\/v1","metadata"/,
    );
    expect((await send(widgetsPath, { query: [["pretty", "1"]] })).text).toContain('"kind": "Widget",\n');
    expect((await send(widgetsPath, { headers: { accept: "application/yaml" } })).text).toContain("  kind: Widget\n");
  });

  for (const [fact, body, code, message] of [
    [
      "must say its kind",
      '{"apiVersion":"example.com/v1"}',
      400,
      `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)`,
    ],
    [
      "must say its version",
      '{"kind":"Widget","metadata":{"name":"a"}}',
      400,
      "the API version in the data () does not match the expected API version (example.com/v1)",
    ],
    [
      "must be of the version of the path",
      '{"kind":"Widget","apiVersion":"example.com/v9"}',
      400,
      "the API version in the data (example.com/v9) does not match the expected API version (example.com/v1)",
    ],
    [
      "must be of the kind of the path",
      '{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"a"}}',
      422,
      'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [
      "must have metadata of the right types",
      '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":5}}',
      400,
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
  ] as const) {
    test(fact, async () => {
      const answer = await post(body);
      expect([answer.code, messageIn(answer.text)]).toEqual([code, message]);
    });
  }

  test("is told of fields that came twice, and of unknown metadata", async () => {
    const body =
      '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","b":1},"spec":{"size":1,"size":2}}';
    const { code, text } = await post(body, { query: [["fieldValidation", "Strict"]] });
    const faults = 'strict decoding error: duplicate field "spec.size", unknown field "metadata.b"';
    expect([code, messageIn(text)]).toEqual([400, `Widget in version "v1" cannot be handled as a Widget: ${faults}`]);
  });

  test("can be sent as YAML", async () => {
    const body = "kind: Widget\napiVersion: example.com/v1\nmetadata: {name: a}\nspec: {size: 3}\n";
    const { code, text } = await post(body, { headers: { "content-type": "application/yaml" } });
    expect([code, (JSON.parse(text) as Widget).spec]).toEqual([201, { size: 3 }]);
  });
});

describe("protobuf", () => {
  test("is refused as the body of an object", async () => {
    const { wrapRaw } = await protobufOn(new FakeClock());
    const body = wrapRaw({ apiVersion: "example.com/v1", kind: "Widget" }, new Uint8Array());
    const { code, text } = await post(body, { headers: { "content-type": protobuf } });
    const why = "Object 'Kind' is missing in 'object has no kind field '";
    expect([code, messageIn(text)]).toEqual([400, `Widget in version "v1" cannot be handled as a Widget: ${why}`]);
  });

  test("is refused for an object that is asked for, unless something else will do; the refusal is in protobuf", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    const only = await send(`${widgetsPath}/a`, { headers: { accept: protobuf } });
    const types = `application/json, application/yaml, ${protobuf}`;
    expect([only.code, only.type]).toEqual([406, protobuf]);
    expect(only.text).toContain(`only the following media types are accepted: ${types}`);
    const either = await send(`${widgetsPath}/a`, { headers: { accept: `${protobuf},application/json` } });
    expect([either.code, either.type]).toEqual([200, "application/json"]);
  });

  test("is given for metadata alone, of one object and of a list", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    for (const [path, kind] of [
      [`${widgetsPath}/a`, "PartialObjectMetadata"],
      [widgetsPath, "PartialObjectMetadataList"],
    ] as const) {
      const { code, bytes } = await send(path, { headers: { accept: `${protobuf};as=${kind};g=meta.k8s.io;v=v1` } });
      const { decodeEnvelope } = await protobufOn(new FakeClock());
      expect([code, decodeEnvelope(bytes).kind]).toEqual([200, kind]);
    }
  });

  test("and other types are refused without a router's words", async () => {
    const { code, text } = await send(widgetsPath, { headers: { accept: "text/plain" } });
    const types = `application/json, application/yaml, ${protobuf}`;
    expect([code, messageIn(text)]).toEqual([406, `only the following media types are accepted: ${types}`]);
  });
});

describe("a patch", () => {
  const patch = (type: string, body: string) =>
    send(`${widgetsPath}/a`, { method: "PATCH", body, headers: { "content-type": type } });
  beforeEach(async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
  });

  for (const type of ["application/strategic-merge-patch+json", "text/plain"]) {
    test(`of type ${type} is refused with what would be accepted`, async () => {
      const { code, text } = await patch(type, '{"spec":{"size":2}}');
      const types = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
      const message = `the body of the request was in an unknown format - accepted media types include: ${types}`;
      expect([code, messageIn(text)]).toEqual([415, message]);
    });
  }

  for (const [type, body, spec] of [
    ["application/merge-patch+json", '{"spec":{"color":{}}}', { size: 1, color: {} }],
    ["application/json-patch+json", '[{"op":"replace","path":"/spec","value":{"list":[]}}]', { list: [] }],
  ] as const) {
    test(`of type ${type} is applied, and the generation rises`, async () => {
      const { code, text } = await patch(type, body);
      const { spec: patched, metadata } = JSON.parse(text) as Widget;
      expect([code, patched, metadata.generation]).toEqual([200, spec, 2]);
    });
  }

  test("cannot make it another kind", async () => {
    const { code, text } = await patch("application/merge-patch+json", '{"kind":"Gadget"}');
    const message = 'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget';
    expect([code, messageIn(text)]).toEqual([422, message]);
  });
});

describe("a resource that is removed while the server runs", () => {
  test("ends its watches without a word; then it is not found, and its objects stay for when it is added again", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    await using watch = await server.transport(requestFor(widgetsPath, { query: [["watch", "1"]] }), never);
    await using other = await server.transport(requestFor("/api/v1/namespaces", { query: [["watch", "1"]] }), never);
    if (watch.body.kind !== "values" || other.body.kind !== "values") throw new Error("no watches");
    const seen: string[] = [];
    for await (const event of watch.body.values) {
      seen.push((event as { readonly type: string }).type);
      server.catalogue.remove([widgets]);
    }
    expect(seen).toEqual(["ADDED"]);
    expect((await ask(server, `${widgetsPath}/a`)).code).toBe(404);
    for await (const event of other.body.values) {
      expect(event).toMatchObject({ type: "ADDED" });
      break;
    }
    server.catalogue.add([storedWidgets()]);
    expect(await namesAt(server, widgetsPath)).toEqual(["a"]);
  });

  test("is removed from the server alone, not from its fork", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    await using fork = await server.fork();
    server.catalogue.remove([widgets]);
    expect([(await ask(server, widgetsPath)).code, await namesAt(fork, widgetsPath)]).toEqual([404, ["a"]]);
    server.catalogue.add([storedWidgets()]);
    fork.catalogue.remove([widgets]);
    expect([await namesAt(server, widgetsPath), (await ask(fork, widgetsPath)).code]).toEqual([["a"], 404]);
  });

  test("does not come back with a snapshot, which holds objects only", async () => {
    await ask(server, widgetsPath, { method: "POST", value: widget("a") });
    const snapshot = server.snapshot();
    server.catalogue.remove([widgets]);
    await server.restore(snapshot);
    expect((await ask(server, widgetsPath)).code).toBe(404);
    server.catalogue.add([storedWidgets()]);
    expect(await namesAt(server, widgetsPath)).toEqual(["a"]);
    await server.reset();
    expect(await namesAt(server, widgetsPath)).toEqual([]);
  });
});
