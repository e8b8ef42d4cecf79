// The same scenarios while requests fail, answers are lost, and the controller is killed: the end is the same.
import { describe, test } from "vitest";
import { oneInTwenty } from "../../scenarios/disturbances.contract.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newNamespaceController } from "./controller.ts";
import { namespaceScenarios } from "./scenarios.contract.ts";

const seeds = Number(process.env["KUBELOOP_SEEDS"] ?? 10);
const scenarios = namespaceScenarios.filter(({ needsRealServer }) => needsRealServer !== true);

describe.each(scenarios)("$name", (scenario) => {
  test.each(Array.from({ length: seeds }, (_, seed) => `namespace ${seed}`))("seed %s", (seed) =>
    runEmbedded(scenario, {
      controllers: (run) => run(newNamespaceController()),
      seed,
      faults: oneInTwenty,
      kills: 2,
    }),
  );
});
