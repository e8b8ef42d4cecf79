import type { FaultRule } from "@kubeloop/core/api";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPersistentVolumeProtectionController } from "./controller.ts";
import { persistentVolumeProtectionScenarios } from "./scenarios.contract.ts";

describe("the volume protection on the embedded server", () => {
  defineRuns(persistentVolumeProtectionScenarios, (run) => run(newPersistentVolumeProtectionController()));
});

test("its queue has upstream's name and workers", () => {
  expect(newPersistentVolumeProtectionController().queues["persistentvolume-protection-controller"]).toMatchObject({
    metricName: "pvprotection",
    workers: 1,
  });
});

describe("an update that fails twice is tried again:", () => {
  const faults: readonly FaultRule[] = [
    { name: "twice", fault: { kind: "status", code: 500 }, match: { verbs: ["update"] }, maxTimes: 2 },
  ];
  for (const name of ["a volume is protected", "a volume that is not bound goes at once when it is deleted"]) {
    test(name, () => {
      const scenario = persistentVolumeProtectionScenarios.find((each) => each.name === name);
      if (scenario === undefined) throw new Error("there is no such scenario");
      return runEmbedded(scenario, { controllers: (run) => run(newPersistentVolumeProtectionController()), faults });
    });
  }
});
