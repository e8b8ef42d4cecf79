import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newServiceAccountController } from "./controller.ts";
import { serviceAccountScenarios } from "./scenarios.contract.ts";

describe("the serviceaccount controller on the embedded server", () => {
  test.each(serviceAccountScenarios)("$name", (scenario) =>
    runEmbedded(scenario, { controllers: (run) => run(newServiceAccountController()) }),
  );
});
