// A list that is given empty, where null is printed for one that is not, is managed by who gave it. Recorded from a real server 1.36.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../api-server.ts";
import { ask } from "../ask.fixture.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const csiNodes = "/apis/storage.k8s.io/v1/csinodes";
const type = "application/merge-patch+json";
const metadata = { name: "a" };
const named = { kind: "Role", apiVersion: "rbac.authorization.k8s.io/v1", metadata };

test.each([
  ["of a new object", roles, { metadata, rules: [] }, [{ "f:rules": {} }]],
  ["of one that says its kind", roles, { ...named, rules: [] }, [{ "f:rules": {} }]],
  ["deeper in it", csiNodes, { metadata, spec: { drivers: [] } }, [{ "f:spec": { "f:drivers": {} } }]],
  ["unless it is not given", roles, { metadata }, undefined],
  ["nor where it is null", roles, { metadata, rules: null }, undefined],
  [
    "nor where nothing is printed",
    csiNodes,
    { metadata: { name: "a", labels: {} }, spec: { drivers: null } },
    undefined,
  ],
])("%s", async (_, path, value, expected) => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  const { object } = await ask(server, path, { method: "POST", value });
  expect(fieldsOf(object)).toEqual(expected);
  const { rules, spec } = object as { readonly rules?: unknown; readonly spec?: { readonly drivers?: unknown } };
  expect([rules, spec?.drivers].filter((each) => each !== undefined)).toEqual([null]);
});

test("whatever others gave before", async () => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  const create = async (name: string, more: object) =>
    fieldsOf((await ask(server, roles, { method: "POST", value: { metadata: { name }, ...more } })).object);
  expect(await create("a", { rules: [] })).toEqual([{ "f:rules": {} }]);
  expect(await create("b", { rules: null })).toBeUndefined();
  expect(await create("c", { rules: [] })).toEqual([{ "f:rules": {} }]);
});

test("of an object that is patched", async () => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  await ask(server, roles, { method: "POST", value: { metadata: { name: "a", labels: { a: "b" } } } });
  const { object } = await ask(server, `${roles}/a`, { method: "PATCH", value: { rules: [] }, type });
  expect(fieldsOf(object)).toEqual([{ "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:rules": {} }]);
});

const fieldsOf = (object: unknown) =>
  (
    object as { readonly metadata: { readonly managedFields?: readonly { readonly fieldsV1: unknown }[] } }
  ).metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);
