import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newRootCaCertificatePublisher } from "./controller.ts";
import { rootCaCertificatePublisherScenarios } from "./scenarios.contract.ts";

defineSeededRuns(rootCaCertificatePublisherScenarios, (run) =>
  run(newRootCaCertificatePublisher({ rootCa: "the authority" })),
);
