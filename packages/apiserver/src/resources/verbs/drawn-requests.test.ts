// Answers that drawn requests to a real server have shown, and that nobody would have thought of.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { type Asked, ask } from "../../ask.fixture.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const strategic = (value: object): Asked => ({
  method: "PATCH",
  value,
  type: "application/strategic-merge-patch+json",
});
const noVersion = 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax';
const annotation = "deprecated.daemonset.template.generation";

const rows: readonly (readonly [string, string, Asked, number, string])[] = [
  [
    "an event at a version that is none is a bad request",
    `${core}/events/x`,
    { query: [["resourceVersion", "-1"]] },
    400,
    `invalid resource version: ${noVersion}`,
  ],
  ["of other kinds it is an error", `${core}/configmaps/x`, { query: [["resourceVersion", "-1"]] }, 500, noVersion],
  [
    "a template generation that is no number is an error in a strategic patch",
    `${apps}/daemonsets/d`,
    strategic({ metadata: { annotations: { [annotation]: "x" } } }),
    500,
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    "lists in the data of a revision cannot be merged",
    `${apps}/controllerrevisions/r`,
    strategic({ data: { a: ["y"] } }),
    500,
    'unable to find api field in struct RawExtension for the json field "a"',
  ],
  [
    "nor can maps",
    `${apps}/controllerrevisions/r`,
    strategic({ data: { b: { c: "y" } } }),
    500,
    'unable to find api field in struct RawExtension for the json field "b"',
  ],
];

describe("a real server says that", () => {
  beforeEach(async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    await ask(server, `${apps}/daemonsets`, { method: "POST", value: { metadata: { name: "d" }, spec } });
    const value = { metadata: { name: "r" }, revision: 1, data: { a: ["x"], b: { c: "x" } } };
    await ask(server, `${apps}/controllerrevisions`, { method: "POST", value });
  });
  for (const [words, path, asked, code, message] of rows) {
    test(words, async () => {
      expect(await ask(server, path, asked)).toMatchObject({ code, object: { message } });
    });
  }
});

test("an empty list in a NetworkPolicy is a change each time, and is never stored", async () => {
  const path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const value = { metadata: { name: "p" }, spec: { podSelector: {}, ingress: [] } };
  const seen: unknown[] = [];
  const note = async (asked: Asked, at = `${path}/p`) => {
    const { object } = await ask<{ metadata: { generation: number }; spec: object }>(server, at, asked);
    seen.push([object.metadata.generation, "ingress" in object.spec]);
  };
  await note({ method: "POST", value }, path);
  await note({ method: "PUT", value });
  await note({ method: "PUT", value });
  await note({ method: "PUT", value: { ...value, spec: { podSelector: {} } } });
  expect(seen).toEqual([
    [1, false],
    [2, false],
    [3, false],
    [3, false],
  ]);
});
