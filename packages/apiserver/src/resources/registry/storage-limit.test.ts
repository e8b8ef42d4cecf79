// Where etcd's patience ends, by its defaults: at 1.5 MiB of protobuf, however it was sent and however it came to be so large.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask } from "../../ask.fixture.ts";

const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
const revision = (name: string, bytes: number) => ({ metadata: { name }, revision: 1, data: { a: "x".repeat(bytes) } });
const kilobyte = 1024;
const stored = "etcdserver: request is too large";
const sent =
  /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d{7} vs\. 2097152\)$/;

const open = () => ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });

for (const [fact, kilobytes, code, message] of [
  ["what fits is taken", 1_535, 201, undefined],
  ["what does not fit is refused", 1_536, 500, stored],
  ["what cannot even be sent is refused in other words", 2_100, 500, expect.stringMatching(sent)],
] as const) {
  test(fact, async () => {
    await using server = await open();
    const value = revision("r", kilobytes * kilobyte);
    const answer = await ask<{ message?: string; reason?: string }>(server, revisions, { method: "POST", value });
    expect([answer.code, answer.object.message, answer.object.reason]).toEqual([code, message, undefined]);
    const found = await ask(server, `${revisions}/r`);
    expect(found.code).toBe(code === 201 ? 200 : 404);
  });
}

test("what counts is protobuf, in which fields have no names, and not JSON", async () => {
  await using server = await open();
  const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
  const value = { metadata: { name: "r" }, rules: Array.from({ length: 40_000 }, () => rule) };
  expect(JSON.stringify(value).length).toBeGreaterThan(2_000 * kilobyte);
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
  expect((await ask(server, path, { method: "POST", value })).code).toBe(201);
});

test("an object cannot grow too large, and stays as it was; trying for nothing costs nothing", async () => {
  await using server = await open();
  await ask(server, revisions, { method: "POST", value: revision("r", 1_400 * kilobyte) });
  const value = { metadata: { annotations: { a: "x".repeat(200 * kilobyte) } } };
  const request = { method: "PATCH", type: "application/merge-patch+json", value };
  const { code, object } = await ask<{ message: string }>(server, `${revisions}/r`, request);
  expect([code, object.message]).toEqual([500, stored]);
  const found = await ask<{ metadata: { annotations?: object } }>(server, `${revisions}/r`);
  expect(found.object.metadata.annotations).toBeUndefined();
  expect((await ask(server, `${revisions}/r`, { ...request, query: [["dryRun", "All"]] })).code).toBe(200);
});
