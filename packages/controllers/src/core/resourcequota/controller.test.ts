import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newResourceQuotaController } from "./controller.ts";
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
