// `@kubeloop/simulation-suite`, for the type checker: embedded-suite.contract.ts under the name by which vitest.config.ts lets other packages
// have it.
declare module "@kubeloop/simulation-suite" {
  type Suite = typeof import("./embedded-suite.contract.ts");
  export type OpenServer = import("./embedded-suite.contract.ts").OpenServer;
  export type OutOfReach = import("./embedded-suite.contract.ts").OutOfReach;
  export type PlantedBug = import("./embedded-suite.contract.ts").PlantedBug;
  export type SimulatedServer = import("./embedded-suite.contract.ts").SimulatedServer;
  export type SimulatedServerOptions = import("./embedded-suite.contract.ts").SimulatedServerOptions;
  export type SimulationResult = import("./embedded-suite.contract.ts").SimulationResult;
  export const explain: Suite["explain"];
  export const leakyGates: Suite["leakyGates"];
  export const loadWithBug: Suite["loadWithBug"];
  export const outOfAllReach: Suite["outOfAllReach"];
  export const plant: Suite["plant"];
  export const plantedBugs: Suite["plantedBugs"];
  export const replicaProcedure: Suite["replicaProcedure"];
  export const runSeeds: Suite["runSeeds"];
  export const simulate: Suite["simulate"];
  export const simulateManyReplicas: Suite["simulateManyReplicas"];
  export const simulateReplicas: Suite["simulateReplicas"];
  export const summarize: Suite["summarize"];
}
