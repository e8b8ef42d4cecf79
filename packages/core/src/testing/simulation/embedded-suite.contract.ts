// The simulations of informers and of the runtime, for servers of other packages. `@kubeloop/simulation-suite` is this file. Such a server must
// implement the interface in simulated-server.fixture.ts.
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
