import { defineSeededRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newDualStack } from "./controller.fixture.ts";
import { nodeIpamScenarios } from "./scenarios.contract.ts";

defineSeededRuns(nodeIpamScenarios, (run) => run(newDualStack()));
