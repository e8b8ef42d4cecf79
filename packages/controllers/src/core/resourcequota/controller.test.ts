import { type FaultRule, type Transport, withFaults } from "@kubeloop/core/api";
import { FakeClock, seededRandom } from "@kubeloop/core/base";
import { deviceClasses, pods, resourceQuotas } from "@kubeloop/core/resources";
import { newPod } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newResourceQuotaController } from "./controller.ts";
import { newServed, served } from "./quota.fixture.ts";
import { resourceQuotaScenarios } from "./scenarios.contract.ts";

describe("the resourcequota controller on the embedded server", () => {
  defineRuns(resourceQuotaScenarios, (run) => run(newResourceQuotaController()));
});

test("its queues have upstream's names and workers", () => {
  const { queues } = newResourceQuotaController();
  expect(Object.values(queues).map(({ metricName, workers }) => [metricName, workers])).toEqual([
    ["resourcequota_primary", 5],
    ["resourcequota_priority", 5],
    ["resource_quota_controller_resource_changes", 1],
  ]);
  expect(newResourceQuotaController({ workers: 9 }).queues["quotas"]).toMatchObject({ workers: 9 });
});

test("of what is only counted it caches the metadata, of the rest whole objects, and quotas once", () => {
  const watches = newResourceQuotaController().watchesFor(served);
  expect(watches.map(({ resource, metadataOnly = false }) => `${resource.plural} ${metadataOnly}`)).toEqual([
    "resourcequotas false",
    "deviceclasses false",
    "pods false",
    "services false",
    "persistentvolumeclaims false",
    "secrets true",
    "configmaps true",
    "deployments true",
    "resourceclaims false",
    "widgets true",
  ]);
  const without = newResourceQuotaController({ withExtendedResources: false }).watchesFor(served);
  expect(without.map(({ resource }) => resource)).not.toContain(deviceClasses);
});

test("an answer of discovery without resources is refused, so that watches stay", () => {
  expect(() => newResourceQuotaController().watchesFor(newServed())).toThrow("discovery reports no resources");
});

test("pods that the cache has only after the quota over them was computed are counted", async () => {
  const scenario: Scenario = {
    name: "pods come late",
    async run({ client, namespace, signal, until }) {
      const quotas = client.resource(resourceQuotas).in(namespace);
      const limit = async (name: string, used: string) => {
        const spec = { hard: { pods: "5" } };
        await quotas.create({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec }, signal);
        await until(`${used} pods`, async () => (await quotas.get(name, signal)).status?.used?.["pods"] === used);
      };
      await limit("before", "0");
      for (const name of ["a", "b", "c"])
        await client
          .resource(pods)
          .in(namespace)
          .create(newPod(`${namespace}/${name}`), signal);
      await limit("after", "3");
    },
  };
  const match = { verbs: ["list", "watch"], resources: ["pods"] };
  const late: readonly FaultRule[] = [
    { name: "the watch of pods is cut", fault: { kind: "cut", after: 2, how: "reset" }, match, nth: [1] },
    { name: "no other comes for a while", fault: { kind: "status", code: 503 }, match, nth: [2, 3, 4] },
  ];
  let faulty: ReturnType<typeof withFaults> | undefined;
  const wrap = (transport: Transport) => {
    faulty = withFaults(transport, late, { clock: new FakeClock(), random: seededRandom("late") });
    return faulty;
  };
  await runEmbedded(scenario, { controllers: (run) => run(newResourceQuotaController()), wrap });
  expect(faulty?.injected.length).toBe(4);
});
