import { describe, expect, test } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicaSetController } from "../replicaset/controller.ts";
import { newDeploymentController } from "./controller.ts";
import { deploymentScenarios } from "./scenarios.contract.ts";

describe("the deployment controller on the embedded server", () => {
  defineRuns(deploymentScenarios, (run) => {
    run(newDeploymentController());
    run(newReplicaSetController());
  });
});

test("its queue has upstream's name, workers and number of tries", () => {
  expect(newDeploymentController().queues["deployment-controller"]).toMatchObject({
    metricName: "deployment",
    workers: 5,
    retry: { maxTries: 16 },
  });
  expect(newDeploymentController({ workers: 9 }).queues["deployment-controller"]).toMatchObject({ workers: 9 });
});
