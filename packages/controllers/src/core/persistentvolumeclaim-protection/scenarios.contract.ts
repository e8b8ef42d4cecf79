// What users see of the claim protection.
import { type corev1, hasFinalizer, isNotFound, type KubernetesObject } from "@kubeloop/core/api";
import { nodes, persistentVolumeClaims, pods } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { type Scenario, type ScenarioCluster, setPhase } from "../../scenarios/scenario.contract.ts";
import { claimFinalizer } from "./decide.ts";

const spec: corev1.PersistentVolumeClaimSpec = {
  accessModes: ["ReadWriteOnce"],
  resources: { requests: { storage: "1Gi" } },
  // A class of its own: nobody makes a volume for it.
  storageClassName: "by-hand",
};

async function findObject<T extends KubernetesObject>(getting: Promise<T>): Promise<T | undefined> {
  try {
    return await getting;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Claims and pods, and what users, the scheduler and the kubelet do with them. */
const claimActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal, until } = cluster;
  const claims = client.resource(persistentVolumeClaims).in(namespace);
  const allPods = client.resource(pods).in(namespace);
  const nodeName = `${namespace}-node`;
  const find = (name: string) => findObject(claims.get(name, signal));
  const create = (name: string, metadata: Partial<corev1.PersistentVolumeClaim["metadata"]> = {}) =>
    claims.create({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, name }, spec }, signal);
  const remove = async (name: string) => {
    await claims.delete(name, {}, signal);
  };
  const untilProtected = (name: string) =>
    until(`${name} is protected`, async () => {
      const found = await find(name);
      return found !== undefined && hasFinalizer(found, claimFinalizer);
    });
  const untilGone = (name: string) => until(`${name} is gone`, async () => (await find(name)) === undefined);
  return {
    find,
    create,
    remove,
    untilProtected,
    untilGone,
    async createProtected(name: string) {
      const made = await create(name);
      await untilProtected(name);
      return made;
    },
    setFinalizers: (name: string, finalizers: readonly string[]) =>
      claims.patch(name, { type: "merge", body: { metadata: { finalizers } } }, signal),
    untilReleased: (name: string) =>
      until(`${name} is released`, async () => {
        const found = await find(name);
        return found !== undefined && !hasFinalizer(found, claimFinalizer);
      }),
    /** Without it the pods of this node would be collected as orphans. */
    createNode: () =>
      client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: nodeName } }, signal),
    createPod: (
      name: string,
      volumes: readonly corev1.Volume[],
      { isScheduled = true, finalizers = [] }: { isScheduled?: boolean; finalizers?: readonly string[] } = {},
    ) =>
      allPods.create(
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name, finalizers },
          spec: {
            containers: [{ name: "main", image: "example.com/main:1" }],
            volumes,
            // Nobody schedules it where it has no node.
            ...(isScheduled ? { nodeName } : { schedulerName: "nobody" }),
          },
        },
        signal,
      ),
    removePod: (name: string) => allPods.delete(name, { gracePeriodSeconds: 0 }, signal),
    releasePod: (name: string) =>
      allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal),
    /** Waits until the controller has worked off what came before: claims are looked at one after the other. */
    async untilCaughtUp() {
      await create("later");
      await untilProtected("later");
      await remove("later");
      await untilGone("later");
    },
  };
};

const claimed = (claimName: string): corev1.Volume => ({ name: "data", persistentVolumeClaim: { claimName } });
const ephemeral: corev1.Volume = { name: "cache", ephemeral: { volumeClaimTemplate: { spec } } };
const isKept = { deletionTimestamp: expect.anything(), finalizers: [claimFinalizer] };
const controlledBy = ({ metadata: { name = "", uid = "" } }: corev1.Pod) => ({
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
});

export const persistentVolumeClaimProtectionScenarios: readonly Scenario[] = [
  {
    name: "a claim is protected",
    async run(cluster) {
      const { createProtected, find, setFinalizers, untilProtected } = claimActions(cluster);
      await createProtected("data");
      expect((await find("data"))?.metadata.finalizers).toEqual([claimFinalizer]);
      await setFinalizers("data", []);
      await untilProtected("data");
    },
  },
  {
    name: "a claim with finalizers of others gets the one that protects it, too",
    async run(cluster) {
      const { create, find, untilProtected } = claimActions(cluster);
      await create("data", { finalizers: ["example.com/held"] });
      await untilProtected("data");
      expect(new Set((await find("data"))?.metadata.finalizers)).toEqual(new Set(["example.com/held", claimFinalizer]));
    },
  },
  {
    name: "a claim that no pod uses goes at once when it is deleted",
    async run(cluster) {
      const { createProtected, remove, untilGone } = claimActions(cluster);
      await createProtected("data");
      await remove("data");
      await untilGone("data");
    },
  },
  {
    name: "several claims of a namespace go, and those in use stay",
    async run(cluster) {
      const { createProtected, createNode, createPod, find, remove, untilGone } = claimActions(cluster);
      await createNode();
      for (const name of ["one", "two", "three"]) await createProtected(name);
      await createPod("web", [claimed("two")]);
      for (const name of ["one", "two", "three"]) await remove(name);
      await untilGone("one");
      await untilGone("three");
      expect((await find("two"))?.metadata).toMatchObject(isKept);
    },
  },
  {
    name: "a claim that a pod uses goes when the pod is gone",
    async run(cluster) {
      const { createProtected, createNode, createPod, find, remove, removePod, untilCaughtUp, untilGone } =
        claimActions(cluster);
      await createNode();
      await createProtected("data");
      await createPod("web", [claimed("data")]);
      await remove("data");
      await untilCaughtUp();
      expect((await find("data"))?.metadata).toMatchObject(isKept);
      await removePod("web");
      await untilGone("data");
    },
  },
  {
    name: "a claim stays for the last of the pods that use it",
    async run(cluster) {
      const { createProtected, createNode, createPod, find, remove, removePod, untilCaughtUp, untilGone } =
        claimActions(cluster);
      await createNode();
      await createProtected("data");
      await createPod("first", [claimed("data")]);
      await createPod("second", [claimed("data")]);
      await remove("data");
      await removePod("first");
      await untilCaughtUp();
      expect((await find("data"))?.metadata).toMatchObject(isKept);
      await removePod("second");
      await untilGone("data");
    },
  },
  {
    name: "a claim stays for a pod that has ended and is still there",
    async run(cluster) {
      const { createProtected, createNode, createPod, find, remove, untilCaughtUp } = claimActions(cluster);
      await createNode();
      await createProtected("data");
      const pod = await createPod("web", [claimed("data")]);
      await remove("data");
      await setPhase(cluster, pod, "Succeeded");
      await untilCaughtUp();
      expect((await find("data"))?.metadata).toMatchObject(isKept);
    },
  },
  {
    name: "a claim does not stay for a pod without a node",
    async run(cluster) {
      const { createProtected, createPod, remove, untilGone } = claimActions(cluster);
      await createProtected("data");
      await createPod("web", [claimed("data")], { isScheduled: false });
      await remove("data");
      await untilGone("data");
    },
  },
  {
    name: "a claim goes when the pod that used it was made anew without it",
    async run(cluster) {
      const { createProtected, createNode, createPod, remove, removePod, untilCaughtUp, untilGone } =
        claimActions(cluster);
      await createNode();
      await createProtected("data");
      await createPod("web", [claimed("data")]);
      await remove("data");
      await untilCaughtUp();
      await removePod("web");
      await createPod("web", [{ name: "data", emptyDir: {} }]);
      await untilGone("data");
    },
  },
  {
    name: "the claim of an ephemeral volume stays for its pod, and goes when that is shut down",
    async run(cluster) {
      const { create, createNode, createPod, find, releasePod, remove, removePod, ...actions } = claimActions(cluster);
      const { untilCaughtUp, untilGone, untilProtected } = actions;
      await createNode();
      const pod = await createPod("web", [ephemeral], { finalizers: ["example.com/held"] });
      await create("web-cache", controlledBy(pod));
      await untilProtected("web-cache");
      await remove("web-cache");
      await untilCaughtUp();
      expect((await find("web-cache"))?.metadata).toMatchObject(isKept);
      // The pod stays, because something else holds it; the kubelet is done with it.
      await removePod("web");
      await untilGone("web-cache");
      await releasePod("web");
    },
  },
  {
    name: "a claim that only has the name of an ephemeral volume's is not in use",
    async run(cluster) {
      const { createProtected, createNode, createPod, remove, untilGone } = claimActions(cluster);
      await createNode();
      await createProtected("web-cache");
      await createPod("web", [ephemeral]);
      await remove("web-cache");
      await untilGone("web-cache");
    },
  },
  {
    name: "a deleted claim that another finalizer holds is let go here, and stays",
    async run(cluster) {
      const { create, find, remove, setFinalizers, ...actions } = claimActions(cluster);
      const { untilCaughtUp, untilGone, untilProtected, untilReleased } = actions;
      await create("data", { finalizers: ["example.com/held"] });
      await untilProtected("data");
      await remove("data");
      await untilReleased("data");
      await untilCaughtUp();
      // Nobody protects it again: it is being deleted.
      expect((await find("data"))?.metadata.finalizers).toEqual(["example.com/held"]);
      await setFinalizers("data", []);
      await untilGone("data");
    },
  },
];
