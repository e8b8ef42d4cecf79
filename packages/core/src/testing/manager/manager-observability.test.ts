// What a manager reports to its operator: the requests of its client and the current leader, but no conflicts.
import { expect, test } from "vitest";
import { configMaps, leases } from "../../api/generated/resources.ts";
import { newConflict } from "../../api/index.ts";
import { type Log, MetricsRegistry } from "../../base/index.ts";
import { clientOf } from "../../client/index.ts";
import { defineController, Manager } from "../../runtime/index.ts";
import { newConfigMap } from "../builders/index.ts";
import { FakeCluster } from "../fake-cluster/index.ts";

function newLog() {
  const told: string[] = [];
  const note =
    (level: string) =>
    (message: string, fields: object = {}) =>
      told.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = {
    debug: note("debug"),
    info: note("info"),
    warn: note("warn"),
    error: note("error"),
    with: () => log,
  };
  return { log, told };
}

const onMaps = (reconcile: Parameters<typeof defineController>[0]["reconcile"]) =>
  defineController({ name: "maps", for: configMaps, reconcile });

test("the requests of its client are counted among its metrics", async () => {
  await using cluster = new FakeCluster({ resources: [configMaps] });
  const metrics = new MetricsRegistry();
  const manager = new Manager({ ...cluster.parts, metrics });
  manager.addController(onMaps(async () => {}));
  cluster.run((signal) => manager.run(signal));
  await cluster.clock.advance(1000);
  expect(metrics.print()).toMatch(/^rest_client_requests_total\{code="200",method="GET",host="none"\} [1-9]/m);
});

test("a client that is counted elsewhere stays there", async () => {
  await using cluster = new FakeCluster({ resources: [configMaps] });
  const [own, metrics] = [new MetricsRegistry(), new MetricsRegistry()];
  const client = clientOf(cluster.server.transport, { clock: cluster.clock, metrics: own });
  expect(new Manager({ ...cluster.parts, client, metrics }).client).toBe(client);
});

test("a conflict is retried without a warning", async () => {
  await using cluster = new FakeCluster({
    resources: [configMaps],
    objects: [[configMaps, newConfigMap("shop/a")]],
  });
  const { log, told } = newLog();
  let tries = 0;
  const manager = new Manager({ ...cluster.parts, log });
  const conflict = newConflict({ group: "", resource: "configmaps" }, "a", { detail: "modified" });
  manager.addController(
    onMaps(async () => {
      if (++tries < 4) throw conflict;
    }),
  );
  cluster.run((signal) => manager.run(signal));
  await cluster.eventually(() => tries === 4);
  expect(told.filter((line) => line.startsWith("warn"))).toEqual([]);
  const [first] = told.filter((line) => line.includes("conflict"));
  expect(first).toMatch(/^debug reconcile met a conflict, trying again .*"key":"shop\/a"/);
  expect(first).not.toContain("stack");
});

test("a conflict that never ends is a warning after all", async () => {
  await using cluster = new FakeCluster({
    resources: [configMaps],
    objects: [[configMaps, newConfigMap("shop/a")]],
  });
  const { log, told } = newLog();
  const manager = new Manager({ ...cluster.parts, log });
  manager.addController(
    onMaps(async () => {
      throw newConflict({ group: "", resource: "configmaps" }, "a", { detail: "modified" });
    }),
  );
  cluster.run((signal) => manager.run(signal));
  await cluster.eventually(() => told.some((line) => line.startsWith("warn reconcile failed")));
  expect(told.filter((line) => line.startsWith("debug reconcile met a conflict"))).toHaveLength(9);
});

test("a replica that stands by says who leads", async () => {
  await using cluster = new FakeCluster({ resources: [configMaps, leases] });
  const { log, told } = newLog();
  const election = { namespace: "shop", name: "maps" };
  for (const [identity, each] of [
    ["one", undefined],
    ["two", log],
  ] as const) {
    const leaderElection = { ...election, identity };
    const manager = new Manager({ ...cluster.parts, ...(each && { log: each }), leaderElection });
    cluster.run((signal) => manager.run(signal));
    await cluster.clock.advance(5000);
  }
  expect(told.filter((line) => line.includes("leads"))).toEqual([
    'info another replica leads, standing by {"leader":"one","lease":"shop/maps"}',
  ]);
});
