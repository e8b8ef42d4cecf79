// What users see of the replicaset controller.
import { type appsv1, type corev1, isControlledBy, keyOf } from "@kubeloop/core/api";
import { pods, replicaSets } from "@kubeloop/core/resources";
import { expect } from "vitest";
import {
  listed,
  type Scenario,
  type ScenarioCluster,
  setPhase,
  setReady,
  untilEvents,
} from "../../scenarios/scenario.contract.ts";

const labels = { app: "web" };
const container = { name: "main", image: "example.com/main:1" };
const newSet = (spec: Partial<appsv1.ReplicaSetSpec> = {}): appsv1.ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
    ...spec,
  },
});
const newOrphan = (name: string, itsLabels: Readonly<Record<string, string>> = labels): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: itsLabels },
  spec: { containers: [container] },
});

/** A count of 0 is left out of the status. */
const noCounts = {
  replicas: 0,
  fullyLabeledReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  terminatingReplicas: 0,
};

/** The set and its pods, and what a user does with them. */
const acting = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const sets = client.resource(replicaSets).in(namespace);
  const allPods = client.resource(pods).in(namespace);
  const its = async () => {
    const set = await sets.get("web", signal);
    return (await listed(cluster, pods)).filter((pod) => isControlledBy(pod, set));
  };
  return {
    its,
    create: (spec?: Partial<appsv1.ReplicaSetSpec>) => sets.create(newSet(spec), signal),
    createPod: (pod: corev1.Pod) => allPods.create(pod, signal),
    patch: (body: object) => sets.patch("web", { type: "merge", body }, signal),
    scale: (replicas: number) => sets.patch("web", { type: "merge", body: { spec: { replicas } } }, signal),
    relabel: (pod: corev1.Pod, itsLabels: object) =>
      allPods.patch(pod.metadata.name ?? "", { type: "merge", body: { metadata: { labels: itsLabels } } }, signal),
    remove: (pod: corev1.Pod) => allPods.delete(pod.metadata.name ?? "", { gracePeriodSeconds: 0 }, signal),
    /** Waits until the status holds these numbers, and there are as many pods of the set as it says. */
    untilStatus: async (expected: Partial<appsv1.ReplicaSetStatus>) =>
      await cluster.until(`status ${JSON.stringify(expected)}`, async () => {
        const { status, metadata } = await sets.get("web", signal);
        expect({ ...noCounts, ...status }).toMatchObject({ ...expected, observedGeneration: metadata.generation });
        return status;
      }),
    allReady: async () => {
      for (const pod of await its()) await setReady(cluster, pod);
    },
  };
};

export const replicaSetScenarios: readonly Scenario[] = [
  {
    name: "as many pods as are wanted are created, with the set as their controller, and reported",
    async run(cluster) {
      const { create, untilStatus, its } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3, fullyLabeledReplicas: 3 });
      const made = await its();
      expect(made.map(({ metadata }) => metadata.generateName)).toEqual(["web-", "web-", "web-"]);
      expect(made.map(({ metadata }) => metadata.labels)).toEqual([labels, labels, labels]);
      await untilEvents(cluster, { SuccessfulCreate: 3 });
    },
  },
  {
    name: "readiness and availability are counted",
    async run(cluster) {
      const { create, untilStatus, allReady, its } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3 });
      await allReady();
      await untilStatus({ replicas: 3, readyReplicas: 3, availableReplicas: 3 });
      const [pod] = await its();
      if (pod !== undefined) await setReady(cluster, pod, false);
      await untilStatus({ replicas: 3, readyReplicas: 2, availableReplicas: 2 });
    },
  },
  {
    name: "fewer wanted, the pods that are not ready are deleted",
    async run(cluster) {
      const { create, untilStatus, allReady, its, scale } = acting(cluster);
      await create({ replicas: 2 });
      await untilStatus({ replicas: 2 });
      await allReady();
      await untilStatus({ readyReplicas: 2 });
      const kept = (await its()).map(keyOf);
      await scale(5);
      await untilStatus({ replicas: 5 });
      await scale(2);
      await untilStatus({ replicas: 2, readyReplicas: 2 });
      await cluster.until("two pods", async () => (await its()).length === 2);
      expect((await its()).map(keyOf)).toEqual(kept);
      await untilEvents(cluster, { SuccessfulCreate: 5, SuccessfulDelete: 3 });
    },
  },
  {
    name: "none wanted, all pods are deleted",
    async run(cluster) {
      const { create, untilStatus, its, scale } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3 });
      await scale(0);
      await untilStatus({ replicas: 0 });
      await cluster.until("no pods", async () => (await its()).length === 0);
    },
  },
  {
    name: "a pod that is deleted is replaced",
    async run(cluster) {
      const { create, untilStatus, its, remove } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const [pod] = await its();
      if (pod === undefined) throw new Error("there are no pods");
      await remove(pod);
      await cluster.until("three others", async () => {
        const names = (await its()).map(keyOf);
        return names.length === 3 && !names.includes(keyOf(pod));
      });
      await untilStatus({ replicas: 3 });
    },
  },
  {
    name: "a pod that has ended is replaced, and stays",
    async run(cluster) {
      const { create, untilStatus, its } = acting(cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const [pod] = await its();
      if (pod === undefined) throw new Error("there are no pods");
      await setPhase(cluster, pod, "Failed");
      await cluster.until("two pods", async () => (await its()).length === 2);
      await untilStatus({ replicas: 1 });
    },
  },
  {
    name: "a pod without controller that matches is adopted instead of creating one",
    async run(cluster) {
      const { create, createPod, untilStatus, its } = acting(cluster);
      await createPod(newOrphan("orphan"));
      await create();
      await untilStatus({ replicas: 3 });
      expect((await its()).map(({ metadata }) => metadata.name)).toContain("orphan");
      expect(await listed(cluster, pods)).toHaveLength(3);
    },
  },
  {
    name: "a pod whose labels come to match is adopted, and one too many deleted",
    async run(cluster) {
      const { create, createPod, untilStatus, its, relabel } = acting(cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const orphan = await createPod(newOrphan("orphan", { app: "other" }));
      await relabel(orphan, labels);
      await cluster.until("one pod", async () => (await listed(cluster, pods)).length === 1);
      await untilStatus({ replicas: 1 });
      expect(await its()).toHaveLength(1);
    },
  },
  {
    name: "a pod whose labels are taken away is released, and another one created",
    async run(cluster) {
      const { create, untilStatus, its, relabel } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const [pod] = await its();
      if (pod === undefined) throw new Error("there are no pods");
      await relabel(pod, { app: null });
      await cluster.until("four pods", async () => (await listed(cluster, pods)).length === 4);
      await cluster.until("release", async () => {
        const all = await listed(cluster, pods);
        return (all.find((each) => keyOf(each) === keyOf(pod))?.metadata.ownerReferences ?? []).length === 0;
      });
      await untilStatus({ replicas: 3 });
      expect(await its()).toHaveLength(3);
    },
  },
  {
    name: "a pod that is being deleted is counted as terminating, and replaced",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, its } = acting(cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const [pod] = await its();
      const name = pod?.metadata.name ?? "";
      const allPods = client.resource(pods).in(namespace);
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await allPods.delete(name, { gracePeriodSeconds: 0 }, signal);
      await untilStatus({ replicas: 1, terminatingReplicas: 1 });
      await allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal);
      await untilStatus({ replicas: 1, terminatingReplicas: 0 });
    },
  },
  {
    name: "a pod is available when it has been ready for minReadySeconds",
    isExact: true,
    async run(cluster) {
      const { create, untilStatus, allReady } = acting(cluster);
      await create({ replicas: 1, minReadySeconds: 30 });
      await untilStatus({ replicas: 1 });
      await allReady();
      await cluster.pass(29_000);
      await untilStatus({ readyReplicas: 1, availableReplicas: 0 });
      await cluster.pass(2000);
      await untilStatus({ readyReplicas: 1, availableReplicas: 1 });
    },
  },
  {
    name: "a change of minReadySeconds counts at once",
    async run(cluster) {
      const { create, untilStatus, allReady, patch } = acting(cluster);
      await create({ replicas: 1, minReadySeconds: 3600 });
      await untilStatus({ replicas: 1 });
      await allReady();
      await untilStatus({ readyReplicas: 1, availableReplicas: 0 });
      await patch({ spec: { minReadySeconds: null } });
      await untilStatus({ readyReplicas: 1, availableReplicas: 1 });
    },
  },
  {
    name: "a set that is being deleted in the foreground leaves its pods alone",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, its, scale } = acting(cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const sets = client.resource(replicaSets).in(namespace);
      await sets.patch("web", { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await sets.delete("web", { propagationPolicy: "Orphan" }, signal);
      await scale(5);
      await cluster.until("it has seen that", async () => {
        const { status, metadata } = await sets.get("web", signal);
        return status?.observedGeneration === metadata.generation;
      });
      expect(await its()).toHaveLength(3);
      await sets.patch("web", { type: "merge", body: { metadata: { finalizers: null } } }, signal);
    },
  },
];
