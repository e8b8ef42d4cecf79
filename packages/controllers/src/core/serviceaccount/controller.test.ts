import { describe } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newServiceAccountController } from "./controller.ts";
import { serviceAccountScenarios } from "./scenarios.contract.ts";

describe("the serviceaccount controller on the embedded server", () => {
  defineRuns(serviceAccountScenarios, (run) => run(newServiceAccountController()));
});
