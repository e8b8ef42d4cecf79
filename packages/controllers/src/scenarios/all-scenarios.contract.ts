// The scenarios of all controllers, by the controller's name: for the runs on a real server, under our manager and under upstream's.
import { replicaSetScenarios } from "../apps/replicaset/scenarios.contract.ts";
import { garbageCollectorScenarios } from "../core/garbage-collector/scenarios.contract.ts";
import type { Scenario } from "./scenario.contract.ts";

export const allScenarios: Readonly<Record<string, readonly Scenario[]>> = {
  "garbage-collector-controller": garbageCollectorScenarios,
  "replicaset-controller": replicaSetScenarios,
};
