// What users see of the volume protection. Volumes belong to no namespace: each is named after the scenario's.
import { type corev1, hasFinalizer, isNotFound } from "@kubeloop/core/api";
import { persistentVolumes } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { volumeFinalizer } from "./decide.ts";

const newVolume = (name: string, finalizers: readonly string[]): corev1.PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name, finalizers },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    // A class of its own: no claim is bound to it.
    storageClassName: "by-hand",
    hostPath: { path: "/data" },
  },
});

/** A volume, and what a user and the binder do with it. */
async function newVolumeIn(cluster: ScenarioCluster, suffix: string, finalizers: readonly string[] = []) {
  const { client, namespace, signal, until } = cluster;
  const all = client.resource(persistentVolumes);
  const name = `${namespace}-${suffix}`;
  const find = async () => {
    try {
      return await all.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const setFinalizers = (list: readonly string[]) =>
    all.patch(name, { type: "merge", body: { metadata: { finalizers: list } } }, signal);
  await all.create(newVolume(name, finalizers), signal);
  return {
    find,
    setFinalizers,
    setPhase: (phase: string) =>
      all.subresource("status").patch(name, { type: "merge", body: { status: { phase } } }, signal),
    async delete() {
      await all.delete(name, {}, signal);
    },
    untilProtected: () =>
      until(`${name} is protected`, async () => {
        const found = await find();
        return found !== undefined && hasFinalizer(found, volumeFinalizer);
      }),
    untilReleased: () =>
      until(`${name} is released`, async () => {
        const found = await find();
        return found !== undefined && !hasFinalizer(found, volumeFinalizer);
      }),
    untilGone: () => until(`${name} is gone`, async () => (await find()) === undefined),
  };
}

/** Waits until the controller has worked off what came before: volumes are looked at one after the other. */
async function untilCaughtUp(cluster: ScenarioCluster): Promise<void> {
  const later = await newVolumeIn(cluster, "later");
  await later.untilProtected();
  await later.delete();
  await later.untilGone();
}

export const persistentVolumeProtectionScenarios: readonly Scenario[] = [
  // First, because a few runs take only the first: where admission protects a new volume, this is what the controller writes for.
  {
    name: "a volume whose finalizer is taken away gets it again, each time",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk");
      await volume.untilProtected();
      for (let times = 0; times < 5; times++) {
        await volume.setFinalizers([]);
        await volume.untilProtected();
      }
    },
  },
  {
    name: "a volume is protected",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk");
      await volume.untilProtected();
      expect((await volume.find())?.metadata.finalizers).toEqual([volumeFinalizer]);
    },
  },
  {
    name: "a volume with finalizers of others gets the one that protects it, too",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk", ["example.com/held"]);
      await volume.untilProtected();
      expect(new Set((await volume.find())?.metadata.finalizers)).toEqual(
        new Set(["example.com/held", volumeFinalizer]),
      );
    },
  },
  {
    name: "a volume that is not bound goes at once when it is deleted",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk");
      await volume.untilProtected();
      await volume.delete();
      await volume.untilGone();
    },
  },
  {
    name: "a volume that is bound stays when it is deleted",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk");
      await volume.untilProtected();
      await volume.setPhase("Bound");
      await volume.delete();
      await untilCaughtUp(cluster);
      expect((await volume.find())?.metadata).toMatchObject({
        deletionTimestamp: expect.anything(),
        finalizers: [volumeFinalizer],
      });
    },
  },
  {
    name: "of many volumes that are deleted those that are bound stay, until they are released",
    async run(cluster) {
      const volumes = [];
      for (const i of [0, 1, 2, 3, 4, 5, 6, 7]) volumes.push(await newVolumeIn(cluster, `disk-${i}`));
      const [bound, free] = [volumes.slice(0, 4), volumes.slice(4)];
      for (const volume of volumes) await volume.untilProtected();
      for (const volume of bound) await volume.setPhase("Bound");
      for (const volume of volumes) await volume.delete();
      for (const volume of free) await volume.untilGone();
      for (const volume of bound) expect((await volume.find())?.metadata.finalizers).toEqual([volumeFinalizer]);
      for (const volume of bound) await volume.setPhase("Released");
      for (const volume of bound) await volume.untilGone();
    },
  },
  {
    name: "a volume that was deleted while it was bound goes when it is released",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk");
      await volume.untilProtected();
      await volume.setPhase("Bound");
      await volume.delete();
      await untilCaughtUp(cluster);
      expect(await volume.find()).toBeDefined();
      await volume.setPhase("Released");
      await volume.untilGone();
    },
  },
  {
    name: "a deleted volume that another finalizer holds is let go here, and stays",
    async run(cluster) {
      const volume = await newVolumeIn(cluster, "disk", ["example.com/held"]);
      await volume.untilProtected();
      await volume.delete();
      await volume.untilReleased();
      await untilCaughtUp(cluster);
      // Nobody protects it again: it is being deleted.
      expect((await volume.find())?.metadata.finalizers).toEqual(["example.com/held"]);
      await volume.setFinalizers([]);
      await volume.untilGone();
    },
  },
];
