// Deleting through the whole server: what holds for each of many, and what is reported before anybody looks.
import { type ApiRequest, headerValue, noBody, type Query } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";

const never = new AbortController().signal;
const maps = "/api/v1/namespaces/default/configmaps";
const jobs = "/apis/batch/v1/namespaces/default/jobs";
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  for (const name of ["a", "b"]) await ask("POST", maps, { value: { metadata: { name, labels: { x: "y" } } } });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

interface Answered {
  readonly items?: readonly { readonly metadata: { readonly name: string; readonly deletionTimestamp?: string } }[];
  readonly metadata?: { readonly uid?: string; readonly continue?: string };
}

async function ask(method: string, path: string, { value, query = [] }: { value?: object; query?: Query } = {}) {
  const body: ApiRequest["body"] = value === undefined ? noBody : { kind: "value", value };
  const response = await server.transport({ method, path, query, headers: {}, body, prefers: "values" }, never);
  const held = (response.body.kind === "value" ? response.body.value : {}) as Answered;
  return { code: response.status, body: held, warning: headerValue(response.headers, "warning") };
}

const names = async () =>
  (await ask("GET", maps, { query: [["labelSelector", "x=y"]] })).body.items?.map(({ metadata }) => metadata.name);
const ours: Query = [["labelSelector", "x=y"]];

test("a precondition that does not hold keeps all of a collection", async () => {
  const { code } = await ask("DELETE", maps, { value: { preconditions: { uid: "other" } }, query: ours });
  expect([code, await names()]).toEqual([409, ["a", "b"]]);
});

test("a limit deletes that many, and says where to go on", async () => {
  const { body } = await ask("DELETE", maps, { query: [...ours, ["limit", "1"]] });
  expect([body.items?.length, typeof body.metadata?.continue, await names()]).toEqual([1, "string", ["b"]]);
});

test("the answer shows what was there before", async () => {
  await ask("POST", maps, { value: { metadata: { name: "held", labels: { x: "y" }, finalizers: ["a.io/b"] } } });
  const { body } = await ask("DELETE", maps, { query: ours });
  expect(body.items?.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["held", undefined],
  ]);
});

test("uid and version in the query are preconditions", async () => {
  for (const condition of ["uid", "resourceVersion"]) {
    expect((await ask("DELETE", `${maps}/a`, { query: [[condition, "7777"]] })).code).toBe(409);
  }
  const { metadata } = (await ask("GET", `${maps}/a`)).body;
  expect((await ask("DELETE", `${maps}/a`, { query: [["uid", metadata?.uid ?? ""]] })).code).toBe(200);
});

test("who says nothing about a job's pods is warned, even when there is no such job", async () => {
  const { code, warning } = await ask("DELETE", `${jobs}/absent`);
  expect([code, warning]).toEqual([404, expect.stringContaining("child pods are preserved")]);
  const orphaning = await ask("DELETE", `${jobs}/absent`, { value: { orphanDependents: true } });
  expect(orphaning.warning).toBeUndefined();
});

test("a client in the same process may send options of the group it talks to", async () => {
  const options = { kind: "DeleteOptions", apiVersion: "batch/v1", propagationPolicy: "Background" };
  expect((await ask("DELETE", `${jobs}/absent`, { value: options })).code).toBe(404);
});

test("a client that goes while its pod is deleted leaves it as it was, or gone, never in between", async () => {
  const pods = "/api/v1/namespaces/default/pods";
  const spec = { containers: [{ name: "main", image: "x" }] };
  const left: (string | undefined)[] = [];
  for (let turns = 0; turns < 40; turns++) {
    const name = `p-${turns}`;
    await ask("POST", pods, { value: { metadata: { name }, spec } });
    const client = new AbortController();
    const request = { method: "DELETE", path: `${pods}/${name}`, query: [], headers: {}, body: noBody };
    const deleting = server.transport({ ...request, prefers: "values" }, client.signal).catch(() => undefined);
    for (let turn = 0; turn < turns; turn++) await undefined;
    client.abort(new Error("gone"));
    await deleting;
  }
  for (const { metadata } of (await ask("GET", pods)).body.items ?? []) left.push(metadata.deletionTimestamp);
  expect(left.filter((each) => each !== undefined)).toEqual([]);
  expect(left.length).toBeLessThan(40);
});
