// A PUT that finds nothing creates. When somebody else creates the object in the same moment, it is an update like any other.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { expect, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { ask } from "../../ask.fixture.ts";
import { altered } from "../../storage/altered-storage.fixture.ts";
import { MemoryStorage } from "../../storage/index.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const roleOf = (verb: string) => ({
  metadata: { name: "r" },
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: [verb] }],
});

test("a PUT that loses the race for a new object updates what the other made", async () => {
  const inner = new MemoryStorage();
  let other: { code: number; object: { metadata: { uid: string } } } | undefined;
  const storage = altered(inner, {
    async write(writes) {
      const isOurs = writes.some(({ collection, key }) => collection.endsWith("roles") && key === "default/r");
      if (isOurs && other === undefined) {
        other = { code: 0, object: { metadata: { uid: "" } } };
        other = await ask(server, roles, { method: "POST", value: roleOf("get") });
      }
      return await inner.write(writes);
    },
  });
  const server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1), storage });
  const { code, object } = await ask<{ metadata: { uid: string } }>(server, `${roles}/r`, {
    method: "PUT",
    value: roleOf("list"),
  });
  expect(other?.code).toBe(201);
  expect([code, object.metadata.uid]).toEqual([200, other?.object.metadata.uid]);
  expect(await ask(server, `${roles}/r`)).toMatchObject({ object: { rules: [{ verbs: ["list"] }] } });
  await server[Symbol.asyncDispose]();
});

test("many PUTs of one new object at once: one creates, all others update", async () => {
  await using server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask(server, `${roles}/r`, { method: "PUT", value: roleOf(`v${i}`) })),
  );
  expect(answers.map(({ code }) => code).sort()).toEqual([...new Array(19).fill(200), 201]);
});
