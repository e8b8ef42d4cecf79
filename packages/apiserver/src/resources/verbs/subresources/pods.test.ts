// What is done to pods through their own subresources: bound to a node, evicted within a budget.
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiServer } from "../../../api-server.ts";
import { ask } from "../../../ask.fixture.ts";

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.open({ clock: new FakeClock(), random: seededRandom(1) });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

interface Pod {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly object[] };
  readonly message?: string;
}

const create = (name: string, spec: object = {}) =>
  ask<Pod>(server, pods, {
    method: "POST",
    value: { metadata: { name, labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }], ...spec } },
  });
const bind = (name: string) =>
  ask<Pod>(server, `${pods}/${name}/binding`, {
    method: "POST",
    value: { metadata: { name }, target: { kind: "Node", name: "n" } },
  });
const get = async (name: string) => (await ask<Pod>(server, `${pods}/${name}`)).object;

describe("a pod that is bound", () => {
  test("has a node, says since when, and is stored as it is printed: to write it back changes nothing", async () => {
    await create("a");
    expect((await bind("a")).code).toBe(201);
    const bound = await get("a");
    expect(bound.spec.nodeName).toBe("n");
    expect(bound.status.conditions).toEqual([
      { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: "2030-01-01T00:00:00Z" },
    ]);
    const written = await ask<Pod>(server, `${pods}/a/status`, { method: "PUT", value: bound });
    expect(written.object.metadata.resourceVersion).toBe(bound.metadata.resourceVersion);
  });

  test("is not bound again", async () => {
    await create("a");
    await bind("a");
    expect(await bind("a")).toMatchObject({ code: 409 });
  });

  test("is not bound while something else is to happen first", async () => {
    await create("a", { schedulingGates: [{ name: "example.com/wait" }] });
    const refused = await bind("a");
    expect(refused.code).toBe(409);
    expect(refused.object.message).toMatch(/has non-empty \.spec\.schedulingGates$/);
    expect((await get("a")).spec.nodeName).toBeUndefined();
  });
});

describe("an eviction", () => {
  const evict = (name: string) =>
    ask(server, `${pods}/${name}/eviction`, { method: "POST", value: { metadata: { name } } });
  const allow = async (disruptionsAllowed: number) => {
    const value = {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    };
    const { object } = await ask<{ metadata: { generation: number } }>(server, budgets, { method: "POST", value });
    const { generation } = object.metadata;
    const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, observedGeneration: generation };
    const status = { ...counts, disruptionsAllowed, disruptedPods: {} };
    await ask(server, `${budgets}/b/status`, { method: "PUT", value: { ...object, status } });
  };
  const left = async () => {
    const { object } = await ask<{ status: { disruptionsAllowed: number; disruptedPods?: object } }>(
      server,
      `${budgets}/b`,
    );
    return [object.status.disruptionsAllowed, Object.keys(object.status.disruptedPods ?? {})];
  };
  /** Ready and on a node: one whose loss counts. */
  const run = async (name: string) => {
    await create(name);
    await bind(name);
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    const value = { ...(await get(name)), status };
    await ask(server, `${pods}/${name}/status`, { method: "PUT", value });
  };

  test("is charged to the budget, and refused when that is spent", async () => {
    await allow(2);
    for (const name of ["p1", "p2", "p3"]) await run(name);
    expect((await evict("p1")).code).toBe(201);
    expect(await left()).toEqual([1, ["p1"]]);
    expect((await evict("p2")).code).toBe(201);
    expect(await left()).toEqual([0, ["p1", "p2"]]);
    expect((await evict("p3")).code).toBe(429);
    expect(await left()).toEqual([0, ["p1", "p2"]]);
  });

  for (const [version, code] of [
    ["policy/v1", 201],
    ["policy/v1beta1", 201],
    ["v1", 400],
  ] as const) {
    test(`of ${version} is ${code === 201 ? "taken" : "refused"}: old clients send the old one`, async () => {
      await run("p1");
      const value = { kind: "Eviction", apiVersion: version, metadata: { name: "p1" } };
      expect((await ask(server, `${pods}/p1/eviction`, { method: "POST", value })).code).toBe(code);
    });
  }
});
