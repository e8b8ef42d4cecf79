// The same scenarios while requests fail, answers are lost, and the controller is killed: the end is the same.
import { describe, test } from "vitest";
import { oneInTwenty } from "../../scenarios/disturbances.contract.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newGarbageCollectorController } from "./controller.ts";
import { garbageCollectorScenarios } from "./scenarios.contract.ts";

const seeds = Number(process.env["KUBELOOP_SEEDS"] ?? 10);
const scenarios = garbageCollectorScenarios.filter(({ needsRealServer }) => needsRealServer !== true);

describe.each(scenarios)("$name", (scenario) => {
  test.each(Array.from({ length: seeds }, (_, seed) => `garbage-collector ${seed}`))("seed %s", (seed) =>
    runEmbedded(scenario, {
      controllers: (run) => run(newGarbageCollectorController()),
      seed,
      faults: oneInTwenty,
      kills: 2,
    }),
  );
});
