// What users see of ReplicaSets and of ReplicationControllers alike: the same rules run both, so the same scenarios show both. What differs
// between the kinds is in the scenarios of each.
import {
  type appsv1,
  type corev1,
  findCondition,
  isControlledBy,
  type KubernetesObject,
  keyOf,
  type Resource,
} from "@kubeloop/core/api";
import { pods, resourceQuotas } from "@kubeloop/core/resources";
import { expect } from "vitest";
import {
  listed,
  type Scenario,
  type ScenarioCluster,
  setPhase,
  setReady,
  untilEvents,
} from "../../scenarios/scenario.contract.ts";

/** The fields that both kinds have. */
export interface ReplicaSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly template?: corev1.PodTemplateSpec;
}

export interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly appsv1.ReplicaSetCondition[];
}

export interface ReplicaObject extends KubernetesObject {
  readonly spec?: ReplicaSpec;
  readonly status?: ReplicaStatus;
}

export interface ReplicaScenarioKind {
  /** What the names of scenarios call one object. */
  readonly noun: string;
  readonly resource: Resource<ReplicaObject>;
  /** Three replicas of a pod with `labels`, named web, unless the spec says otherwise. */
  newObject(spec?: ReplicaSpec): ReplicaObject;
}

export const labels = { app: "web" };
export const container = { name: "main", image: "example.com/main:1" };
export const newOrphan = (name: string, podLabels: Readonly<Record<string, string>> = labels): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: podLabels },
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

/** One object of the kind and its pods, and what a user does with them. */
export const replicaActions = ({ resource, newObject }: ReplicaScenarioKind, cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const sets = client.resource(resource).in(namespace);
  const allPods = client.resource(pods).in(namespace);
  const ownedPods = async () => {
    const set = await sets.get("web", signal);
    return (await listed(cluster, pods)).filter((pod) => isControlledBy(pod, set));
  };
  return {
    ownedPods,
    create: (spec?: ReplicaSpec) => sets.create(newObject(spec), signal),
    createPod: (pod: corev1.Pod) => allPods.create(pod, signal),
    patch: (body: object) => sets.patch("web", { type: "merge", body }, signal),
    scale: (replicas: number) => sets.patch("web", { type: "merge", body: { spec: { replicas } } }, signal),
    relabel: (pod: corev1.Pod, podLabels: object) =>
      allPods.patch(pod.metadata.name ?? "", { type: "merge", body: { metadata: { labels: podLabels } } }, signal),
    remove: (pod: corev1.Pod) => allPods.delete(pod.metadata.name ?? "", { gracePeriodSeconds: 0 }, signal),
    /** Throws if there are none. */
    firstPod: async () => {
      const [pod] = await ownedPods();
      if (pod === undefined) throw new Error("it has no pods");
      return pod;
    },
    /** Waits until the status has these counts, and has seen the newest generation. */
    untilStatus: async (expected: ReplicaStatus) =>
      await cluster.until(`status ${JSON.stringify(expected)}`, async () => {
        const { status, metadata } = await sets.get("web", signal);
        expect({ ...noCounts, ...status }).toMatchObject({ ...expected, observedGeneration: metadata.generation });
        return status;
      }),
    allReady: async () => {
      for (const pod of await ownedPods()) await setReady(cluster, pod);
    },
  };
};

export const replicaScenarios = (kind: ReplicaScenarioKind): readonly Scenario[] => [
  {
    name: `as many pods as are wanted are created, with the ${kind.noun} as their controller, and reported`,
    async run(cluster) {
      const { create, untilStatus, ownedPods } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3, fullyLabeledReplicas: 3 });
      const made = await ownedPods();
      expect(made.map(({ metadata }) => metadata.generateName)).toEqual(["web-", "web-", "web-"]);
      expect(made.map(({ metadata }) => metadata.labels)).toEqual([labels, labels, labels]);
      await untilEvents(cluster, { SuccessfulCreate: 3 });
    },
  },
  {
    name: "readiness and availability are counted",
    async run(cluster) {
      const { create, untilStatus, allReady, firstPod } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3 });
      await allReady();
      await untilStatus({ replicas: 3, readyReplicas: 3, availableReplicas: 3 });
      await setReady(cluster, await firstPod(), false);
      await untilStatus({ replicas: 3, readyReplicas: 2, availableReplicas: 2 });
    },
  },
  {
    name: "when replicas is lowered, pods that are not ready are deleted first",
    async run(cluster) {
      const { create, untilStatus, allReady, ownedPods, scale } = replicaActions(kind, cluster);
      await create({ replicas: 2 });
      await untilStatus({ replicas: 2 });
      await allReady();
      await untilStatus({ readyReplicas: 2 });
      const kept = (await ownedPods()).map(keyOf);
      await scale(5);
      await untilStatus({ replicas: 5 });
      await scale(2);
      await untilStatus({ replicas: 2, readyReplicas: 2 });
      await cluster.until("two pods", async () => (await ownedPods()).length === 2);
      expect((await ownedPods()).map(keyOf)).toEqual(kept);
      await untilEvents(cluster, { SuccessfulCreate: 5, SuccessfulDelete: 3 });
    },
  },
  {
    name: "when replicas is 0, all pods are deleted",
    async run(cluster) {
      const { create, untilStatus, ownedPods, scale } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3 });
      await scale(0);
      await untilStatus({ replicas: 0 });
      await cluster.until("no pods", async () => (await ownedPods()).length === 0);
    },
  },
  {
    name: "a pod that is deleted is replaced",
    async run(cluster) {
      const { create, untilStatus, ownedPods, remove, firstPod } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const pod = await firstPod();
      await remove(pod);
      await cluster.until("three others", async () => {
        const names = (await ownedPods()).map(keyOf);
        return names.length === 3 && !names.includes(keyOf(pod));
      });
      await untilStatus({ replicas: 3 });
    },
  },
  {
    name: "a pod that has ended is replaced, and stays",
    async run(cluster) {
      const { create, untilStatus, ownedPods, firstPod } = replicaActions(kind, cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      const pod = await firstPod();
      await setPhase(cluster, pod, "Failed");
      await cluster.until("two pods", async () => (await ownedPods()).length === 2);
      await untilStatus({ replicas: 1 });
    },
  },
  {
    name: "a pod without controller that matches is adopted instead of creating one",
    async run(cluster) {
      const { create, createPod, untilStatus, ownedPods } = replicaActions(kind, cluster);
      await createPod(newOrphan("orphan"));
      await create();
      await untilStatus({ replicas: 3 });
      expect((await ownedPods()).map(({ metadata }) => metadata.name)).toContain("orphan");
      expect(await listed(cluster, pods)).toHaveLength(3);
    },
  },
  {
    name: "a pod whose labels come to match is adopted, and one too many deleted",
    async run(cluster) {
      const { create, createPod, untilStatus, ownedPods, relabel, allReady } = replicaActions(kind, cluster);
      await create({ replicas: 1 });
      await untilStatus({ replicas: 1 });
      // So that it is known which of the two goes, whenever they were created.
      await allReady();
      await untilStatus({ readyReplicas: 1 });
      const before = await ownedPods();
      const orphan = await createPod(newOrphan("orphan", { app: "other" }));
      await relabel(orphan, labels);
      await cluster.until("one pod", async () => (await listed(cluster, pods)).length === 1);
      await untilStatus({ replicas: 1 });
      expect((await ownedPods()).map(keyOf)).toEqual(before.map(keyOf));
    },
  },
  {
    name: "a pod whose labels are taken away is released, and another one created",
    async run(cluster) {
      const { create, untilStatus, ownedPods, relabel, firstPod } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const pod = await firstPod();
      await relabel(pod, { app: null });
      await cluster.until("four pods", async () => (await listed(cluster, pods)).length === 4);
      await cluster.until("release", async () => {
        const all = await listed(cluster, pods);
        return (all.find((each) => keyOf(each) === keyOf(pod))?.metadata.ownerReferences ?? []).length === 0;
      });
      await untilStatus({ replicas: 3 });
      expect(await ownedPods()).toHaveLength(3);
    },
  },
  {
    name: "a pod is available when it has been ready for minReadySeconds",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, untilStatus, allReady } = replicaActions(kind, cluster);
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
      const { create, untilStatus, allReady, patch } = replicaActions(kind, cluster);
      await create({ replicas: 1, minReadySeconds: 3600 });
      await untilStatus({ replicas: 1 });
      await allReady();
      await untilStatus({ readyReplicas: 1, availableReplicas: 0 });
      await patch({ spec: { minReadySeconds: null } });
      await untilStatus({ readyReplicas: 1, availableReplicas: 1 });
    },
  },
  {
    name: `a ${kind.noun} that is being deleted neither creates nor deletes pods`,
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, ownedPods, scale } = replicaActions(kind, cluster);
      await create();
      await untilStatus({ replicas: 3 });
      const sets = client.resource(kind.resource).in(namespace);
      await sets.patch("web", { type: "merge", body: { metadata: { finalizers: ["example.com/held"] } } }, signal);
      await sets.delete("web", { propagationPolicy: "Background" }, signal);
      await scale(5);
      await cluster.until("the controller has observed the new generation", async () => {
        const { status, metadata } = await sets.get("web", signal);
        return status?.observedGeneration === metadata.generation;
      });
      expect(await ownedPods()).toHaveLength(3);
      await sets.patch("web", { type: "merge", body: { metadata: { finalizers: null } } }, signal);
    },
  },
  {
    name: "a quota that refuses pods is a failure, and is forgotten when there is room",
    // The embedded server has no quota admission yet.
    needsRealServer: true,
    repeatedEvents: ["FailedCreate"],
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus } = replicaActions(kind, cluster);
      const quotas = client.resource(resourceQuotas).in(namespace);
      const quota = {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "few" },
        spec: { hard: { pods: "0" } },
      } as const;
      await quotas.create(quota, signal);
      // Upstream's quota controller is not part of the scenario: what is used is said here.
      await quotas
        .subresource("status")
        .patch("few", { type: "merge", body: { status: { hard: { pods: "0" }, used: { pods: "0" } } } }, signal);
      await create();
      await cluster.until("the failure", async () => {
        const { status } = await client.resource(kind.resource).in(namespace).get("web", signal);
        const failure = findCondition(status?.conditions, "ReplicaFailure");
        return failure?.reason === "FailedCreate" && failure.message?.includes("exceeded quota");
      });
      await quotas.delete("few", {}, signal);
      await untilStatus({ replicas: 3 });
    },
  },
  {
    name: `two ${kind.noun}s with the same selector leave each other's pods alone`,
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, scale } = replicaActions(kind, cluster);
      const sets = client.resource(kind.resource).in(namespace);
      const other = kind.newObject({ replicas: 2 });
      await sets.create({ ...other, metadata: { name: "other" } }, signal);
      await create({ replicas: 2 });
      await untilStatus({ replicas: 2 });
      await cluster.until("four pods", async () => (await listed(cluster, pods)).length === 4);
      await scale(0);
      await untilStatus({ replicas: 0 });
      await cluster.until("two pods", async () => (await listed(cluster, pods)).length === 2);
      const left = await sets.get("other", signal);
      expect((await listed(cluster, pods)).every((pod) => isControlledBy(pod, left))).toBe(true);
    },
  },
  {
    name: "when replicas is lowered, pods with a lower deletion cost are deleted first",
    async run(cluster) {
      const { client, namespace, signal } = cluster;
      const { create, untilStatus, scale, ownedPods, allReady } = replicaActions(kind, cluster);
      await create({ replicas: 3 });
      await untilStatus({ replicas: 3 });
      await allReady();
      await untilStatus({ readyReplicas: 3 });
      const [dear, ...cheap] = await ownedPods();
      const annotations = { "controller.kubernetes.io/pod-deletion-cost": "100" };
      await client
        .resource(pods)
        .in(namespace)
        .patch(dear?.metadata.name ?? "", { type: "merge", body: { metadata: { annotations } } }, signal);
      // The annotation must be in the cache before it is scaled: the status is written again when a pod's readiness changes.
      for (const pod of cheap) await setReady(cluster, pod, false);
      await untilStatus({ readyReplicas: 1 });
      for (const pod of cheap) await setReady(cluster, pod, true);
      await untilStatus({ readyReplicas: 3 });
      await scale(1);
      await untilStatus({ replicas: 1 });
      await cluster.until("one pod", async () => (await ownedPods()).length === 1);
      expect((await ownedPods()).map(keyOf)).toEqual(dear === undefined ? [] : [keyOf(dear)]);
    },
  },
];
