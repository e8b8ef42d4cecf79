// Quotas over the whole server: what is written costs them exactly once, and never more than they have.
import type { corev1 } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask, namesAt } from "../ask.fixture.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const quotas = "/api/v1/namespaces/default/resourcequotas";
const merge = "application/merge-patch+json";

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** As the controller would have counted it. */
async function limit(configmaps: string, name = "q") {
  await ask(server, quotas, { method: "POST", value: { metadata: { name }, spec: { hard: { configmaps } } } });
  const status = { hard: { configmaps }, used: { configmaps: "0" } };
  await ask(server, `${quotas}/${name}/status`, { method: "PATCH", type: merge, value: { status } });
}
const create = (name: string, query: readonly (readonly [string, string])[] = []) =>
  ask<{ message?: string }>(server, maps, { method: "POST", value: { metadata: { name } }, query });
const used = async (name = "q") =>
  (await ask<corev1.ResourceQuota>(server, `${quotas}/${name}`)).object.status?.used?.["configmaps"];

test("a hundred creates that race never exceed a quota", async () => {
  await limit("10");
  const made = await Promise.all(Array.from({ length: 100 }, (_, i) => create(`m-${i}`)));
  expect(made.filter(({ code }) => code === 201)).toHaveLength(10);
  expect(made.filter(({ code }) => code === 403)).toHaveLength(90);
  expect(await namesAt(server, maps)).toHaveLength(10);
  expect(await used()).toBe("10");
});

test("every quota is charged, or none", async () => {
  await limit("5");
  await limit("1", "small");
  expect((await create("a")).code).toBe(201);
  expect((await create("b")).object.message).toContain("exceeded quota: small");
  expect([await used(), await used("small")]).toEqual(["1", "1"]);
});

test("nothing is charged for what is refused, exists already, or is a dry run", async () => {
  await limit("5");
  expect((await create("a", [["dryRun", "All"]])).code).toBe(201);
  expect((await create("not a name")).code).toBe(422);
  expect(await used()).toBe("0");
  await create("a");
  expect((await create("a")).code).toBe(409);
  expect(await used()).toBe("1");
});

test("a charge is the server's own write to the quota's status", async () => {
  await limit("5");
  await create("a");
  const { object } = await ask<corev1.ResourceQuota>(server, `${quotas}/q`);
  const managers = object.metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource]);
  expect(managers).toContainEqual(["kube-apiserver", "status"]);
});

test("where the plugin is off, nothing is charged or refused", async () => {
  await server[Symbol.asyncDispose]();
  server = await ApiServer.open({ clock: new FakeClock(), disableAdmissionPlugins: ["ResourceQuota"] });
  await limit("0");
  expect((await create("a")).code).toBe(201);
  expect(await used()).toBe("0");
});
