import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newRootCaCertificatePublisher } from "./controller.ts";
import { rootCaCertificatePublisherScenarios } from "./scenarios.contract.ts";

describe("the root CA publisher on the embedded server", () => {
  for (const scenario of rootCaCertificatePublisherScenarios) {
    test(scenario.name, () =>
      runEmbedded(scenario, { controllers: (run) => run(newRootCaCertificatePublisher({ rootCa: "the authority" })) }),
    );
  }
});
