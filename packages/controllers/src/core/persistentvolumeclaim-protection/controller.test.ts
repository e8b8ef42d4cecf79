import { type corev1, type FaultRule, findCondition } from "@kubeloop/core/api";
import { persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newPersistentVolumeClaimProtectionController } from "./controller.ts";
import { persistentVolumeClaimProtectionScenarios } from "./scenarios.contract.ts";

describe("the claim protection on the embedded server", () => {
  defineRuns(persistentVolumeClaimProtectionScenarios, (run) => run(newPersistentVolumeClaimProtectionController()));
});

describe("with the condition Unused", () => {
  defineRuns(persistentVolumeClaimProtectionScenarios, (run) =>
    run(newPersistentVolumeClaimProtectionController({ reportsUnused: true })),
  );
});

test("its queue has upstream's name and workers", () => {
  const { queues } = newPersistentVolumeClaimProtectionController();
  expect(queues["persistentvolumeclaim-protection-controller"]).toMatchObject({
    metricName: "pvcprotection",
    workers: 1,
  });
});

describe("what fails is tried again:", () => {
  const goes = "a claim that no pod uses goes at once when it is deleted";
  const updates: FaultRule["match"] = { verbs: ["update"], resources: ["persistentvolumeclaims"] };
  // The cache lists all namespaces.
  const liveLists: FaultRule["match"] = { verbs: ["list"], path: /\/namespaces\/[^/]+\/pods$/ };
  for (const [what, match, name] of [
    ["the finalizer cannot be added", updates, "a claim is protected"],
    ["the finalizer cannot be removed", updates, goes],
    ["the pods of the namespace cannot be listed", liveLists, goes],
    [
      "the pods cannot be listed for one of several claims",
      liveLists,
      "several claims of a namespace go, and those in use stay",
    ],
  ] as const) {
    test(what, () => {
      const scenario = persistentVolumeClaimProtectionScenarios.find((each) => each.name === name);
      if (scenario === undefined) throw new Error("there is no such scenario");
      const fault: FaultRule = { name: what, fault: { kind: "status", code: 500 }, match, maxTimes: 2 };
      return runEmbedded(scenario, {
        controllers: (run) => run(newPersistentVolumeClaimProtectionController()),
        faults: [fault],
      });
    });
  }
});

/** Upstream's gate is off unless somebody turns it on: a scenario of its own. */
const unusedScenario: Scenario = {
  name: "the condition Unused follows the pods of a claim",
  async run({ client, namespace, signal, until }) {
    const claims = client.resource(persistentVolumeClaims).in(namespace);
    const allPods = client.resource(pods).in(namespace);
    const untilUnused = (status: string) =>
      until(`Unused is ${status}`, async () => {
        const claim = await claims.get("data", signal);
        const condition = findCondition(claim.status?.conditions, "Unused") as
          | corev1.PersistentVolumeClaimCondition
          | undefined;
        return condition?.status === status && claim.metadata.finalizers?.length === 1;
      });
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await claims.create({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec }, signal);
    await untilUnused("True");
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
    const containers = [{ name: "main", image: "example.com/main:1" }];
    await allPods.create(
      { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers, volumes } },
      signal,
    );
    await untilUnused("False");
    await allPods.delete("web", { gracePeriodSeconds: 0 }, signal);
    await untilUnused("True");
  },
};
test(unusedScenario.name, () =>
  runEmbedded(unusedScenario, {
    controllers: (run) => run(newPersistentVolumeClaimProtectionController({ reportsUnused: true })),
  }),
);
