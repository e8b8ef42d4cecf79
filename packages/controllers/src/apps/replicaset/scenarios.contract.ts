// What users see of the replicaset controller.
import { pods, replicaSets } from "@kubeloop/core/resources";
import type { Scenario } from "../../scenarios/scenario.contract.ts";
import {
  container,
  labels,
  type ReplicaScenarioKind,
  replicaActions,
  replicaScenarios,
} from "./replica-scenarios.contract.ts";

const replicaSetKind: ReplicaScenarioKind = {
  noun: "set",
  resource: replicaSets,
  newObject: (spec) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      ...spec,
    },
  }),
};

export const replicaSetScenarios: readonly Scenario[] = [
  ...replicaScenarios(replicaSetKind),
  {
    name: "a pod that is being deleted is counted as terminating, and replaced",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, firstPod } = replicaActions(replicaSetKind, cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const { name = "" } = (await firstPod()).metadata;
      const allPods = client.resource(pods).in(namespace);
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await allPods.delete(name, { gracePeriodSeconds: 0 }, signal);
      await untilStatus({ replicas: 1, terminatingReplicas: 1 });
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal);
      await untilStatus({ replicas: 1, terminatingReplicas: 0 });
    },
  },
];
