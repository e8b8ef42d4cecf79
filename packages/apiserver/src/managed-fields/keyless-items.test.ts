// Of an object in which an item of a list cannot be told from others, nobody manages anything, until it is mended and applied.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";

const accounts = "/api/v1/namespaces/default/serviceaccounts";
const managersIn = ({ metadata }: { readonly metadata: { readonly managedFields?: readonly { manager: string }[] } }) =>
  (metadata.managedFields ?? []).map(({ manager }) => manager);

for (const [fact, secrets, managers] of [
  ["an item with its key is managed", [{ name: "s" }], ["unknown"]],
  ["one without leaves nobody", [{}], []],
  ["one without beside one with leaves nobody either", [{ name: "s" }, {}], []],
] as const) {
  test(fact, async () => {
    await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
    const value = { metadata: { name: "a", labels: { a: "b" } }, secrets };
    const { code, object } = await ask<Parameters<typeof managersIn>[0]>(server, accounts, { method: "POST", value });
    expect([code, managersIn(object)]).toEqual([201, managers]);
  });
}

test("who breaks an object takes it from all", async () => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  await ask(server, accounts, { method: "POST", value: { metadata: { name: "a" }, secrets: [{ name: "s" }] } });
  const type = "application/merge-patch+json";
  const request = { method: "PATCH", type, value: { secrets: [{}] } };
  const { object } = await ask<Parameters<typeof managersIn>[0]>(server, `${accounts}/a`, request);
  expect(managersIn(object)).toEqual([]);
});
