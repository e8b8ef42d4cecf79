import { replicaSets, replicationControllers } from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { newReplicaSetController } from "../../apps/replicaset/controller.ts";
import { runEmbedded } from "../../scenarios/embedded-cluster.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import { defineRuns } from "../../scenarios/seeded-runs.contract.ts";
import { newReplicationControllerController } from "./controller.ts";
import { replicationControllerScenarios } from "./scenarios.contract.ts";

describe("the replicationcontroller controller on the embedded server", () => {
  defineRuns(replicationControllerScenarios, (run) => run(newReplicationControllerController()));
});

test("its queue has upstream's name and workers", () => {
  const name = "replicationcontroller-controller";
  expect(newReplicationControllerController().queues[name]).toMatchObject({
    metricName: "replicationmanager",
    workers: 5,
  });
  expect(newReplicationControllerController({ workers: 9 }).queues[name]).toMatchObject({ workers: 9 });
});

test("its only metric is the one that it shares with the replicaset controller", () => {
  expect(newReplicationControllerController().metrics.map(({ definition }) => definition.name)).toEqual([
    "replicaset_controller_sorting_deletion_age_ratio",
  ]);
});

/** Both kinds have the same name, the same selector and the same indexes of pods. */
const sideBySide: Scenario = {
  name: "a ReplicaSet of the same name and selector keeps its own pods",
  async run({ client, namespace, signal, until }) {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } };
    const sets = client.resource(replicaSets).in(namespace);
    const controllers = client.resource(replicationControllers).in(namespace);
    const metadata = { name: "web" };
    const spec = { replicas: 2, template };
    await sets.create(
      { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { ...spec, selector: { matchLabels: labels } } },
      signal,
    );
    await controllers.create(
      { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { ...spec, selector: labels } },
      signal,
    );
    await until("two pods of each", async () => {
      const [set, controller] = [await sets.get("web", signal), await controllers.get("web", signal)];
      return set.status?.replicas === 2 && controller.status?.replicas === 2;
    });
  },
};
test(sideBySide.name, () =>
  runEmbedded(sideBySide, {
    controllers: (run) => {
      run(newReplicationControllerController());
      run(newReplicaSetController());
    },
  }),
);
