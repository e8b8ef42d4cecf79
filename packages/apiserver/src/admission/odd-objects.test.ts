// Objects that lack nearly everything are refused by the rules of their kind, not by a plugin that stumbles over them.
import { FakeClock, noLog, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";

const core = "/api/v1/namespaces/default";
const limits = [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }];

test.each([
  [`${core}/pods`, { metadata: { name: "a" } }],
  [`${core}/pods`, { metadata: { name: "a" }, spec: {} }],
  [`${core}/pods`, { metadata: { name: "a" }, spec: { containers: [{}] } }],
  [`${core}/pods`, {}],
  [`${core}/persistentvolumeclaims`, { metadata: { name: "a" } }],
  [`${core}/persistentvolumeclaims`, { metadata: { name: "a" }, spec: { resources: {} } }],
  ["/api/v1/nodes", {}],
  ["/api/v1/persistentvolumes", { metadata: { name: "a" } }],
  ["/apis/networking.k8s.io/v1/namespaces/default/ingresses", { metadata: { name: "a" } }],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", { globalDefault: true }],
])("%s of %j", async (path, value) => {
  const errors: string[] = [];
  const log = { ...noLog, error: (message: string) => errors.push(message) };
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1), log });
  await ask(server, `${core}/limitranges`, { method: "POST", value: { metadata: { name: "r" }, spec: { limits } } });
  await ask(server, `${core}/resourcequotas`, {
    method: "POST",
    value: { metadata: { name: "q" }, spec: { hard: { "limits.cpu": "1" } } },
  });
  const { code } = await ask(server, path, { method: "POST", value });
  expect([code, errors]).toEqual([422, []]);
});
