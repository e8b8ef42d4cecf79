// What users see of the replicationcontroller controller.
import { type corev1, keyOf } from "@kubeloop/core/api";
import { pods, replicationControllers } from "@kubeloop/core/resources";
import { expect } from "vitest";
import {
  container,
  labels,
  newOrphan,
  type ReplicaScenarioKind,
  type ReplicaSpec,
  replicaActions,
  replicaScenarios,
} from "../../apps/replicaset/replica-scenarios.contract.ts";
import type { Scenario } from "../../scenarios/scenario.contract.ts";

const newController = (spec: ReplicaSpec = {}): corev1.ReplicationController => ({
  apiVersion: "v1",
  kind: "ReplicationController",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: labels,
    template: { metadata: { labels }, spec: { containers: [container] } },
    ...spec,
  },
});

const replicationControllerKind: ReplicaScenarioKind = {
  noun: "ReplicationController",
  resource: replicationControllers,
  newObject: newController,
};

export const replicationControllerScenarios: readonly Scenario[] = [
  ...replicaScenarios(replicationControllerKind),
  {
    name: "a pod that is being deleted is replaced, and not counted",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, firstPod, ownedPods } = replicaActions(replicationControllerKind, cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const { name = "" } = (await firstPod()).metadata;
      const allPods = client.resource(pods).in(namespace);
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await allPods.delete(name, { gracePeriodSeconds: 0 }, signal);
      await cluster.until("another pod", async () => (await ownedPods()).length === 2);
      await untilStatus({ replicas: 1 });
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal);
      await cluster.until("one pod", async () => (await ownedPods()).length === 1);
      expect(await untilStatus({ replicas: 1 })).not.toHaveProperty("terminatingReplicas");
    },
  },
  {
    name: "without a selector it takes the labels of its template",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { untilStatus, ownedPods, createPod } = replicaActions(replicationControllerKind, cluster);
      await createPod(newOrphan("orphan"));
      const { selector: _none, ...spec } = newController({ replicas: 2 }).spec ?? {};
      await client
        .resource(replicationControllers)
        .in(namespace)
        .create({ ...newController(), spec }, signal);
      await untilStatus({ replicas: 2, fullyLabeledReplicas: 2 });
      expect((await ownedPods()).map(({ metadata }) => metadata.name)).toContain("orphan");
    },
  },
  {
    name: "when replicas is lowered, a pod that is much newer than the others is deleted first",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, untilStatus, ownedPods, scale } = replicaActions(replicationControllerKind, cluster);
      await create({ replicas: 2 });
      await untilStatus({ replicas: 2 });
      const kept = (await ownedPods()).map(keyOf);
      await cluster.pass(3_600_000);
      await scale(3);
      await untilStatus({ replicas: 3 });
      await scale(2);
      await untilStatus({ replicas: 2 });
      await cluster.until("two pods", async () => (await ownedPods()).length === 2);
      expect((await ownedPods()).map(keyOf)).toEqual(kept);
    },
  },
  {
    name: "its scale says how many there are, and sets how many are wanted",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, ownedPods } = replicaActions(replicationControllerKind, cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const scale = client.resource(replicationControllers).in(namespace).subresource("scale");
      await scale.patch("web", { type: "merge", body: { spec: { replicas: 2 } } }, signal);
      await untilStatus({ replicas: 2 });
      expect(await ownedPods()).toHaveLength(2);
      expect((await scale.get("web", signal)).status).toMatchObject({ replicas: 2 });
    },
  },
  {
    name: "a pod that lacks a label of the template is counted, and not as fully labelled",
    async run(cluster) {
      const { create, createPod, untilStatus } = replicaActions(replicationControllerKind, cluster);
      await createPod(newOrphan("orphan"));
      const more = { ...labels, tier: "front" };
      await create({ replicas: 2, template: { metadata: { labels: more }, spec: { containers: [container] } } });
      await untilStatus({ replicas: 2, fullyLabeledReplicas: 1 });
    },
  },
];
