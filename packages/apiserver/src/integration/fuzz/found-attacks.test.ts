// What fuzzing found, each once: requests that hung the server or made it fail.
import { type ApiRequest, collectBytes, noBody } from "@kubeloop/core/api";
import { FakeClock, type Log, noLog, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { requestFor } from "../../ask.fixture.ts";

const failures: string[] = [];
const log: Log = { ...noLog, error: (message) => failures.push(message) };
const clock = new FakeClock();
let server: ApiServer;
beforeEach(async () => {
  failures.length = 0;
  server = await ApiServer.open({ clock, log, random: seededRandom(1) });
});
afterEach(() => server[Symbol.asyncDispose]());

async function ask(request: Partial<ApiRequest> & { path: string; text?: string; type?: string }) {
  const { text, type = "application/json", ...rest } = request;
  const body = text === undefined ? noBody : ({ kind: "bytes", bytes: Buffer.from(text) } as const);
  const headers = { "content-type": type, ...rest.headers };
  const plain = { method: "GET", query: [], prefers: "bytes" } as const;
  const response = await clock.drive(
    server.transport({ ...plain, ...rest, headers, body }, new AbortController().signal),
  );
  const { body: answer } = response;
  const bytes = answer.kind === "bytes" ? await collectBytes(answer.bytes, { maxBytes: 1e7 }) : new Uint8Array();
  expect(failures).toEqual([]);
  return { status: response.status, headers: response.headers, text: Buffer.from(bytes).toString("utf8") };
}

const maps = "/api/v1/namespaces/default/configmaps";
const post = (path: string, object: object) => ask({ method: "POST", path, text: JSON.stringify(object) });
const tower = (depth: number) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;

test("a list with less than no limit is the whole list", async () => {
  const { status, text } = await ask({ path: "/api/v1/namespaces", query: [["limit", "-1"]] });
  expect([status, JSON.parse(text).items.length]).toEqual([200, 4]);
});

test("managed fields that are a text are passed over", async () => {
  await post(maps, { metadata: { name: "a" } });
  const managedFields = [
    { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: "ab" },
  ];
  const object = { metadata: { name: "a", managedFields }, data: { a: "b" } };
  const { status } = await ask({ method: "PUT", path: `${maps}/a`, text: JSON.stringify(object) });
  expect(status).toBe(200);
});

test("a patch of a scale that cannot be applied is the sender's fault", async () => {
  const spec = { selector: { matchLabels: { a: "b" } }, template: podTemplate };
  await post("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "d" }, spec });
  const path = "/apis/apps/v1/namespaces/default/deployments/d/scale";
  for (const [type, text, expected] of [
    ["application/json-patch+json", '[{"op":"copy","from":"/spec","path":5}]', 400],
    ["application/json-patch+json", "{}", 400],
    ["application/merge-patch+json", "[]", 400],
    ["application/merge-patch+json", '{"spec":{"replicas":"many"}}', 422],
    ["application/merge-patch+json", '{"spec":{"replicas":3}}', 200],
    ["text/plain", "{}", 415],
  ] as const) {
    const { status } = await ask({ method: "PATCH", path, text, type });
    expect([text, status]).toEqual([text, expected]);
  }
});
test("a patch that doubles an object again and again is refused before it is large", async () => {
  const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
  await post(path, { metadata: { name: "c" }, revision: 1, data: { x: {} } });
  const copies = Array.from({ length: 30 }, (_, i) => ({ op: "copy", from: "/data/x", path: `/data/x/k${i}` }));
  const text = JSON.stringify([{ op: "add", path: "/data/x/a", value: "y".repeat(100) }, ...copies]);
  const { status } = await ask({ method: "PATCH", path: `${path}/c`, text, type: "application/json-patch+json" });
  expect(status).toBe(422);
});

test("faults with long names or values are told until the answer is long enough", async () => {
  const properties = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`p${i}`, {}]));
  const long = { ["x".repeat(50_000)]: { type: "object", properties } };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: long } },
  };
  const names = { plural: "ds", singular: "d", kind: "D", listKind: "DList" };
  const spec = { group: "x.y", names, scope: "Namespaced", versions: [version] };
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const { status, text } = await post(crds, { metadata: { name: "ds.x.y" }, spec });
  expect(status).toBe(422);
  expect(JSON.parse(text).message).toMatch(/ and \d+ more$/);
});

test("texts that YAML repeats by aliases are counted", async () => {
  const values = Array.from({ length: 4_000 }, (_, i) => `  - {name: A${i}, value: *b}`).join("\n");
  const env = `env:\n  - {name: A, value: &b ${"x".repeat(100_000)}}\n${values}`;
  const text = `metadata: {name: p}\nspec:\n containers:\n - name: c\n   image: i\n   ${env.replaceAll("\n", "\n ")}`;
  const { status, text: said } = await ask({
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    text,
    type: "application/yaml",
  });
  expect([status, JSON.parse(said).message]).toEqual([400, expect.stringContaining("excessive aliasing")]);
});

test("operations cannot build what is too deep to be read", async () => {
  const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
  await post(path, { metadata: { name: "c" }, revision: 1, data: { p0: {} } });
  const value = tower(400);
  const operations = [`{"op":"add","path":"/data/p0","value":${value}}`];
  for (let i = 1; i <= 20; i++) {
    operations.push(`{"op":"add","path":"/data/p${i}","value":${value}}`);
    operations.push(`{"op":"move","from":"/data/p${i - 1}","path":"/data/p${i}${"/a".repeat(400)}/a"}`);
  }
  const request = { method: "PATCH", path: `${path}/c`, type: "application/json-patch+json" };
  expect((await ask({ ...request, text: `[${operations.join(",")}]` })).status).toBe(422);
  const deep = `[{"op":"add","path":"${"/a".repeat(600)}","value":1}]`;
  expect((await ask({ ...request, text: deep })).status).toBe(422);
});

test("patches made in this process are held to what JSON can say", async () => {
  await post(maps, { metadata: { name: "a" } });
  const cyclic: { a?: object } = {};
  cyclic.a = cyclic;
  for (const value of [cyclic, { data: { a: 1n } }, { data: { a: () => 1 } }]) {
    const request = requestFor(`${maps}/a`, { method: "PATCH", type: "application/merge-patch+json", value });
    await using response = await clock.drive(server.transport(request, new AbortController().signal));
    expect(response.status).toBe(400);
  }
});

test("what is as deep as may be kept is read in every form", async () => {
  const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
  const deep = (levels: number) => `{"metadata":{"name":"d-${levels}"},"revision":1,"data":${tower(levels)}}`;
  expect((await ask({ method: "POST", path, text: deep(600) })).status).toBe(400);
  expect((await ask({ method: "POST", path, text: deep(495) })).status).toBe(201);
  for (const accept of ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]) {
    for (const each of [path, `${path}/d-495`]) {
      expect([each, accept, (await ask({ path: each, headers: { accept } })).status]).toEqual([each, accept, 200]);
    }
  }
});

test("a selector of nothing but signs is refused", async () => {
  for (const sign of ["(", "!", "=", ","]) {
    const { status } = await ask({ path: maps, query: [["labelSelector", sign.repeat(400_000)]] });
    expect([sign, status]).toEqual([sign, 400]);
  }
});

describe("a hundred thousand faults", () => {
  const count = 130_000;
  const many = <T>(each: (i: number) => T) => Array.from({ length: count }, (_, i) => each(i));
  const container = { name: "c", image: "i" };
  for (const [fact, metadata, spec] of [
    ["labels", { labels: Object.fromEntries(many((i) => [`! ${i}`, ""])) }, { containers: [container] }],
    ["finalizers", { finalizers: many((i) => `f${i}`) }, { containers: [container] }],
    ["items of a list", {}, { containers: [{ ...container, env: many(() => ({})) }] }],
  ] as const) {
    test(`${fact}: the first thousand are told, and how many more there are`, async () => {
      const { status, text } = await post("/api/v1/namespaces/default/pods", {
        metadata: { name: "p", ...metadata },
        spec,
      });
      expect(status).toBe(422);
      const { message, details } = JSON.parse(text) as { message: string; details: { causes: readonly unknown[] } };
      expect(message).toMatch(new RegExp(` and ${count - 1_000} more$`));
      expect(details.causes).toHaveLength(1_000);
    });
  }

  test("are warnings where they are no faults", async () => {
    const spec = { containers: [{ ...container, env: many(() => ({ name: "A", value: "" })) }] };
    const { status } = await post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
    expect(status).toBe(201);
  });
});

const podTemplate = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

test("a patch ten thousand levels deep is refused", async () => {
  await post(maps, { metadata: { name: "a" } });
  for (const kind of ["merge", "json", "strategic-merge"]) {
    const request = { method: "PATCH", path: `${maps}/a`, text: `{"unknown":${tower(9_900)}}` };
    expect((await ask({ ...request, type: `application/${kind}-patch+json` })).status).toBe(400);
  }
});

test("a bookmark is a row of a table like any object", async () => {
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" };
  const query = Object.entries({ watch: "1", timeoutSeconds: "1", ...initial });
  const reading = ask({ path: "/apis/autoscaling/v2/horizontalpodautoscalers", query, headers: { accept } });
  await clock.settle();
  await clock.advance(1_000);
  const [message] = (await reading).text.split("\n");
  expect(JSON.parse(message ?? "")).toMatchObject({ type: "BOOKMARK", object: { kind: "Table", rows: [{}] } });
});
