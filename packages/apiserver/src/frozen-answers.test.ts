// Readers inside the process share the server's objects: whatever goes out is frozen, all the way down.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";
import { type Asked, ask, requestFor } from "./ask.fixture.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
let server: ApiServer;
const map = (name: string) => ({ metadata: { name }, data: { a: "b" } });
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  await ask(server, maps, { method: "POST", value: map("a") });
  await ask(server, maps, { method: "POST", value: { metadata: { name: "held", finalizers: ["a.b/c"] } } });
  const labels = { app: "w" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await ask(server, deployments, { method: "POST", value: { metadata: { name: "w" }, spec } });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** Where in the value something can be changed. */
function mutableIn(value: unknown, path = "$"): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.isFrozen(value) ? [] : [path];
  return [...own, ...Object.entries(value).flatMap(([name, held]) => mutableIn(held, `${path}.${name}`))];
}

const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const partial = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const dryRun = [["dryRun", "All"]] as const;
const merge = "application/merge-patch+json";
const rows: readonly (readonly [string, string, Asked])[] = [
  ["an object", `${maps}/a`, {}],
  ["a list", maps, {}],
  ["a page", maps, { query: [["limit", "1"]] }],
  ["a table", maps, { headers: table }],
  ["metadata", `${maps}/a`, { headers: partial }],
  ["what was created", maps, { method: "POST", value: map("b") }],
  ["what would be created", maps, { method: "POST", value: map("b"), query: dryRun }],
  ["what was updated", `${maps}/a`, { method: "PUT", value: map("a") }],
  ["what would be updated", `${maps}/a`, { method: "PUT", value: { ...map("a"), data: {} }, query: dryRun }],
  ["what was patched", `${maps}/a`, { method: "PATCH", value: { data: { c: "d" } }, type: merge }],
  ["what would be patched", `${maps}/a`, { method: "PATCH", value: { data: {} }, type: merge, query: dryRun }],
  ["what is deleted", `${maps}/a`, { method: "DELETE" }],
  ["what is being deleted", `${maps}/held`, { method: "DELETE" }],
  ["what was deleted together", maps, { method: "DELETE" }],
  ["a scale", `${deployments}/w/scale`, {}],
  [
    "a scale that was set",
    `${deployments}/w/scale`,
    { method: "PATCH", value: { spec: { replicas: 2 } }, type: merge },
  ],
  ["a Status", `${maps}/none`, {}],
  ["a refusal", maps, { method: "POST", value: { metadata: { name: "A B" } } }],
  ["discovery", "/api/v1", {}],
  ["groups", "/apis", {}],
  ["a review", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST", value: {} }],
  ["component statuses", "/api/v1/componentstatuses", {}],
];

describe("nobody can change", () => {
  for (const [words, path, asked] of rows) {
    test(words, async () => {
      const { object } = await ask(server, path, asked);
      expect(mutableIn(object)).toEqual([]);
    });
  }

  test("an object whose last finalizer was taken away", async () => {
    await ask(server, `${maps}/held`, { method: "DELETE" });
    const asked = { method: "PATCH", value: { metadata: { finalizers: null } }, type: merge };
    const { code, object } = await ask(server, `${maps}/held`, asked);
    expect([code, mutableIn(object)]).toEqual([200, []]);
  });

  for (const headers of [{}, table, partial]) {
    test(`the events of a watch ${JSON.stringify(headers)}`, async () => {
      const query = [["watch", "1"]] as const;
      await using response = await server.transport(requestFor(maps, { query, headers }), never);
      if (response.body.kind !== "values") throw new Error("expected a stream");
      const messages = response.body.values[Symbol.asyncIterator]();
      const seen = [(await messages.next()).value, (await messages.next()).value];
      const next = messages.next();
      await ask(server, `${maps}/a`, { method: "DELETE" });
      seen.push((await next).value);
      expect(seen.flatMap((event) => mutableIn(event))).toEqual([]);
    });
  }

  test("what a closed server says", async () => {
    await server[Symbol.asyncDispose]();
    expect(mutableIn((await ask(server, maps)).object)).toEqual([]);
  });
});
