import { describe, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { newReplicaSetController } from "./controller.ts";
import { replicaSetScenarios } from "./scenarios.contract.ts";

describe("the replicaset controller on the embedded server", () => {
  test.each(replicaSetScenarios.filter(({ needsRealServer }) => needsRealServer !== true))("$name", (scenario) =>
    runEmbedded(scenario, { controllers: (run) => run(newReplicaSetController()) }),
  );
});
