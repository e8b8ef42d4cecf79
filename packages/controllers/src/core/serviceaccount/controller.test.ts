import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newServiceAccountController } from "./controller.ts";
import { serviceAccountScenarios } from "./scenarios.contract.ts";

describe("the serviceaccount controller on the embedded server", () => {
  for (const scenario of serviceAccountScenarios) {
    test(scenario.name, () => runEmbedded(scenario, { controllers: (run) => run(newServiceAccountController()) }));
  }
});
