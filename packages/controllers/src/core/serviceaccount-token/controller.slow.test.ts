// The same scenarios while requests fail, answers are lost, and the controller is killed: the end is the same.
import { describe, test } from "vitest";
import { oneInTwenty } from "../../scenarios/disturbances.contract.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newServiceAccountTokenController } from "./controller.ts";
import { serviceAccountTokenScenarios } from "./scenarios.contract.ts";
import { newSignerPorts } from "./signer.fixture.ts";

const seeds = Number(process.env["KUBELOOP_SEEDS"] ?? 10);

describe.each(serviceAccountTokenScenarios)("$name", (scenario) => {
  test.each(Array.from({ length: seeds }, (_, seed) => `serviceaccount-token ${seed}`))("seed %s", (seed) =>
    runEmbedded(scenario, {
      controllers: (run) => run(newServiceAccountTokenController({ rootCa: "the authority" })),
      ports: newSignerPorts(),
      seed,
      faults: oneInTwenty,
      kills: 2,
    }),
  );
});
