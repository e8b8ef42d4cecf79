import { podDisruptionBudgets, pods, statefulSets } from "@kubeloop/core/resources";
import { newPod, newStatefulSet, ownedBy } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { newDeploymentController } from "../../apps/deployment/controller.ts";
import { newReplicaSetController } from "../../apps/replicaset/controller.ts";
import { newReplicationControllerController } from "../../core/replicationcontroller/controller.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newDisruptionController } from "./controller.ts";
import { disruptionScenarios } from "./scenarios.contract.ts";

describe("the disruption controller on the embedded server", () => {
  defineRuns(disruptionScenarios, (run) => {
    run(newDisruptionController());
    run(newDeploymentController());
    run(newReplicaSetController());
    run(newReplicationControllerController());
  });
});

test("its queues have upstream's names and workers", () => {
  const { queues } = newDisruptionController();
  expect(Object.values(queues).map(({ metricName, workers }) => [metricName, workers])).toEqual([
    ["disruption", 1],
    ["disruption_recheck", 1],
    ["stale_pod_disruption", 1],
  ]);
});

test("a controller that wants another number of pods wakes their budgets, whichever change is seen first", async () => {
  const labels = { app: "db" };
  const scenario: Scenario = {
    name: "scaled",
    async run({ client, namespace, signal, until }) {
      const sets = client.resource(statefulSets).in(namespace);
      const budgets = client.resource(podDisruptionBudgets).in(namespace);
      const spec = { replicas: 2, serviceName: "db", selector: { matchLabels: labels } };
      const set = await sets.create(newStatefulSet(`${namespace}/db`, { spec, metadata: { labels } } as never), signal);
      const pod = ownedBy(set, newPod(`${namespace}/db-0`, { metadata: { labels } }));
      await client.resource(pods).in(namespace).create(pod, signal);
      await budgets.create(
        {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: { name: "db" },
          spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
        },
        signal,
      );
      const untilExpected = (count: number) =>
        until(`${count} expected`, async () => (await budgets.get("db", signal)).status?.expectedPods === count);
      await untilExpected(2);
      await sets.patch("db", { type: "merge", body: { spec: { replicas: 5 } } }, signal);
      await untilExpected(5);
    },
  };
  await runEmbedded(scenario, { controllers: (run) => run(newDisruptionController()) });
});
