import { deviceClasses } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
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
