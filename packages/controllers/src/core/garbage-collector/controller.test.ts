import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newGarbageCollectorController } from "./controller.ts";
import { garbageCollectorScenarios } from "./scenarios.contract.ts";

describe("the garbage collector on the embedded server", () => {
  test.each(garbageCollectorScenarios.filter(({ needsRealServer }) => needsRealServer !== true))("$name", (scenario) =>
    runEmbedded(scenario, { controllers: (run) => run(newGarbageCollectorController()) }),
  );
});
