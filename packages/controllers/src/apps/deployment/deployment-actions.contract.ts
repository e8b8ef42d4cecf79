// What users and kubelets do to a deployment named web in a scenario, and what they wait for. Its sets are called by their revision.
import { type appsv1, type corev1, findCondition, isControlledBy } from "@kubeloop/core/api";
import { deployments, pods, replicaSets } from "@kubeloop/core/resources";
import { isPodReady } from "@kubeloop/core/rules";
import { expect } from "vitest";
import { listed, type ScenarioCluster, setReady } from "../../scenarios/scenario.contract.ts";
import { revisionAnnotation } from "./revisions.ts";

export const labels = { app: "web" };

export const templateOf = (image = "example.com/web:1", podSpec: Partial<corev1.PodSpec> = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image }], ...podSpec },
});

/** Three replicas, one at a time, unless the spec says otherwise. */
export const newWeb = (spec: Partial<appsv1.DeploymentSpec> = {}, metadata: object = {}): appsv1.Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: templateOf(),
    ...spec,
  },
});

/** How the strategy may exceed and fall short of the replicas. */
export const rolling = (maxSurge: number | string, maxUnavailable: number | string): appsv1.DeploymentStrategy => ({
  type: "RollingUpdate",
  rollingUpdate: { maxSurge, maxUnavailable },
});

/** A count of 0 is left out of the status. */
const noCounts = {
  replicas: 0,
  updatedReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
  terminatingReplicas: 0,
};

export const deploymentActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal, until } = cluster;
  const all = client.resource(deployments).in(namespace);
  const allSets = client.resource(replicaSets).in(namespace);
  const get = () => all.get("web", signal);
  const patch = (body: object) => all.patch("web", { type: "merge", body }, signal);
  const ownSets = async () => {
    const deployment = await get();
    return (await listed(cluster, replicaSets)).filter((set) => isControlledBy(set, deployment));
  };
  const setOf = async (revision: number) =>
    (await ownSets()).find(({ metadata }) => metadata.annotations?.[revisionAnnotation] === String(revision));
  const podsOf = async (revision: number) => {
    const set = await setOf(revision);
    return set === undefined ? [] : (await listed(cluster, pods)).filter((pod) => isControlledBy(pod, set));
  };
  /** Their sizes by revision; those of size 0 left out. */
  const sizes = async () =>
    Object.fromEntries(
      (await ownSets()).flatMap(({ metadata, spec }) =>
        spec?.replicas === 0 ? [] : [[metadata.annotations?.[revisionAnnotation] ?? "", spec?.replicas]],
      ),
    );
  const untilCondition = (type: string, expected: Partial<appsv1.DeploymentCondition>) =>
    until(`condition ${type} ${JSON.stringify(expected)}`, async () => {
      const { status } = await get();
      expect(findCondition(status?.conditions, type)).toMatchObject(expected);
      return true;
    });
  return {
    get,
    patch,
    ownSets,
    setOf,
    podsOf,
    create: (spec?: Partial<appsv1.DeploymentSpec>, metadata?: object) => all.create(newWeb(spec, metadata), signal),
    createSet: (set: appsv1.ReplicaSet) => allSets.create(set, signal),
    patchSet: (name: string, body: object) => allSets.patch(name, { type: "merge", body }, signal),
    removeSet: (name: string) => allSets.delete(name, { propagationPolicy: "Background" }, signal),
    remove: () => all.delete("web", { propagationPolicy: "Background" }, signal),
    scale: (replicas: number) => patch({ spec: { replicas } }),
    pause: (paused = true) => patch({ spec: { paused } }),
    setImage: (image: string) => patch({ spec: { template: templateOf(image) } }),
    /** Waits until the sets are of these sizes, by revision; those of size 0 are left out. */
    untilSizes: (expected: Readonly<Record<string, number>>) =>
      until(`sizes ${JSON.stringify(expected)}`, async () => {
        expect(await sizes()).toEqual(expected);
        return true;
      }),
    /** Waits until so many pods of a set are there, makes so many more of them ready, and waits until the set says so. */
    makeReady: async (revision: number, count: number) => {
      const waiting = await until(`${count} pods of revision ${revision} that are not ready`, async () => {
        const found = (await podsOf(revision)).filter((pod) => !isPodReady(pod));
        expect(found.length).toBeGreaterThanOrEqual(count);
        return found;
      });
      for (const pod of waiting.slice(0, count)) await setReady(cluster, pod);
      const names = waiting.slice(0, count).map(({ metadata }) => metadata.name);
      await until(`${count} pods are ready`, async () => {
        const ready = (await podsOf(revision)).filter(isPodReady).map(({ metadata }) => metadata.name);
        return names.every((name) => ready.includes(name));
      });
    },
    /** Makes all pods ready, again and again, until the rollout is complete. */
    untilRolledOut: () =>
      until("the rollout is complete", async () => {
        const deployment = await get();
        for (const pod of await listed(cluster, pods)) if (!isPodReady(pod)) await setReady(cluster, pod);
        const { spec, status, metadata } = deployment;
        const wanted = spec?.replicas ?? 1;
        expect({ ...noCounts, ...status }).toMatchObject({
          replicas: wanted,
          updatedReplicas: wanted,
          availableReplicas: wanted,
          observedGeneration: metadata.generation,
        });
        expect(findCondition(status?.conditions, "Progressing")?.reason ?? "NewReplicaSetAvailable").toBe(
          "NewReplicaSetAvailable",
        );
        return true;
      }),
    /** Waits until the status has these counts, and has seen the newest generation. */
    untilStatus: (expected: appsv1.DeploymentStatus) =>
      until(`status ${JSON.stringify(expected)}`, async () => {
        const { status, metadata } = await get();
        expect({ ...noCounts, ...status }).toMatchObject({ ...expected, observedGeneration: metadata.generation });
        return true;
      }),
    untilCondition,
    /**
     * Waits until the status tells of the rollout, before its pods are ready. One that goes back to an old set and that no status tells of leaves
     * the condition Progressing of the rollout before, which names another set. That may happen to whoever is disturbed, and is not waited for then.
     */
    untilSeenRolling: async () => {
      if (!cluster.isDisturbed) await untilCondition("Progressing", { status: "True", reason: "ReplicaSetUpdated" });
    },
    untilRevision: (revision: number) =>
      until(`revision ${revision}`, async () => {
        expect((await get()).metadata.annotations?.[revisionAnnotation]).toBe(String(revision));
        return true;
      }),
  };
};
