// The simulations of informers and of the runtime for servers that other packages bring: `@kubeloop/simulation-suite` is this file. What such
// a server must offer stands in simulated-server.fixture.ts.
export { leakyGates } from "../contract/leaky-gates.fixture.ts";
export {
  simulate as simulateReplicas,
  simulateMany as simulateManyReplicas,
} from "../contract/replica-simulation.fixture.ts";
export { replicaProcedure } from "../front/replica-procedure.fixture.ts";
export { loadWithBug } from "./load-with-bug.fixture.ts";
export { type PlantedBug, plant, plantedBugs } from "./planted-bugs.fixture.ts";
export { explain, type OutOfReach, outOfAllReach, runSeeds, summarize } from "./run-seeds.fixture.ts";
export { type SimulationResult, simulate } from "./simulate.fixture.ts";
export type {
  OpenServer,
  SimulatedServer,
  SimulatedServerOptions,
} from "./simulated-server.fixture.ts";
