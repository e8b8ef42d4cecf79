import { describe } from "vitest";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newRootCaCertificatePublisher } from "./controller.ts";
import { rootCaCertificatePublisherScenarios } from "./scenarios.contract.ts";

describe("the root CA publisher on the embedded server", () => {
  defineRuns(rootCaCertificatePublisherScenarios, (run) =>
    run(newRootCaCertificatePublisher({ rootCa: "the authority" })),
  );
});
