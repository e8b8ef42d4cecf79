import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicaSetController } from "./controller.ts";
import { replicaSetScenarios } from "./scenarios.contract.ts";

describe("the replicaset controller on the embedded server", () => {
  defineRuns(replicaSetScenarios, (run) => run(newReplicaSetController()));
});

test("its queue has upstream's name and workers", () => {
  expect(newReplicaSetController().queues["replicaset-controller"]).toMatchObject({
    metricName: "replicaset",
    workers: 5,
  });
  expect(newReplicaSetController({ workers: 9 }).queues["replicaset-controller"]).toMatchObject({ workers: 9 });
});
