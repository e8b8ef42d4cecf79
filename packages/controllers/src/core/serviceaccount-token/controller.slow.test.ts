import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newServiceAccountTokenController } from "./controller.ts";
import { serviceAccountTokenScenarios } from "./scenarios.contract.ts";
import { newSignerPorts } from "./signer.fixture.ts";

defineSeededRuns(serviceAccountTokenScenarios, (run) =>
  run(newServiceAccountTokenController({ rootCa: "the authority" }), newSignerPorts()),
);
