// What users see of the root CA publisher. Which authority it publishes depends on the cluster; so what was published first is what must
// come back.
import { type corev1, isNotFound } from "@kubeloop/core/api";
import { configMaps } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { newNamespaceIn } from "../../scenarios/namespaces.contract.ts";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { configMapName, description, descriptionAnnotation } from "./decide.ts";

const mapsIn = (cluster: ScenarioCluster, namespace = cluster.namespace) => {
  const { client, signal } = cluster;
  const maps = client.resource(configMaps).in(namespace);
  const find = async (name = configMapName) => {
    try {
      return await maps.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  return {
    find,
    untilPublished: () => cluster.until(`${configMapName} in ${namespace}`, () => find()),
    /** Waits until it is there, and so. */
    until: (what: string, look: (map: corev1.ConfigMap) => boolean) =>
      cluster.until(what, async () => {
        const map = await find();
        return map !== undefined && look(map) ? map : undefined;
      }),
    patch: (body: object, name = configMapName) => maps.patch(name, { type: "merge", body }, signal),
    create: (name: string, data: Readonly<Record<string, string>>) =>
      maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }, signal),
    delete: async (name = configMapName) => {
      await maps.delete(name, {}, signal);
    },
  };
};

/** Waits until the controller has worked off what came before: namespaces are looked at one after the other. */
async function untilCaughtUp(cluster: ScenarioCluster): Promise<void> {
  await using later = await newNamespaceIn(cluster, "later");
  await mapsIn(cluster, later.name).untilPublished();
}

export const rootCaCertificatePublisherScenarios: readonly Scenario[] = [
  {
    name: "a namespace that was there before has the ConfigMap, with its description",
    async run(cluster) {
      const { data, metadata } = await mapsIn(cluster).untilPublished();
      expect(Object.keys(data ?? {})).toEqual(["ca.crt"]);
      expect(metadata.annotations).toMatchObject({ [descriptionAnnotation]: description });
    },
  },
  {
    name: "a new namespace gets the same",
    async run(cluster) {
      const { data } = await mapsIn(cluster).untilPublished();
      await using added = await newNamespaceIn(cluster, "added");
      expect((await mapsIn(cluster, added.name).untilPublished()).data).toEqual(data);
    },
  },
  {
    name: "it is created again when it is deleted",
    async run(cluster) {
      const maps = mapsIn(cluster);
      const { data, metadata } = await maps.untilPublished();
      await maps.delete();
      const other = await maps.until("another one", (map) => map.metadata.uid !== metadata.uid);
      expect(other.data).toEqual(data);
    },
  },
  {
    name: "an authority that is changed is put back",
    async run(cluster) {
      const maps = mapsIn(cluster);
      const { data, metadata } = await maps.untilPublished();
      await maps.patch({ data: { "ca.crt": "another" } });
      const restored = await maps.until("the authority", (map) => map.data?.["ca.crt"] === data?.["ca.crt"]);
      expect(restored.metadata.uid).toBe(metadata.uid);
    },
  },
  {
    name: "a key that is added is taken away",
    async run(cluster) {
      const maps = mapsIn(cluster);
      const { data } = await maps.untilPublished();
      await maps.patch({ data: { more: "x" } });
      const restored = await maps.until("one key", (map) => Object.keys(map.data ?? {}).length === 1);
      expect(restored.data).toEqual(data);
    },
  },
  {
    name: "the data are put back when all of them are taken away",
    async run(cluster) {
      const maps = mapsIn(cluster);
      const { data } = await maps.untilPublished();
      await maps.patch({ data: null });
      const restored = await maps.until("the data", (map) => map.data !== undefined);
      expect(restored.data).toEqual(data);
    },
  },
  {
    name: "a description that is taken away is put back",
    async run(cluster) {
      const maps = mapsIn(cluster);
      await maps.untilPublished();
      await maps.patch({ metadata: { annotations: { [descriptionAnnotation]: null } } });
      await maps.until("the description", (map) => map.metadata.annotations?.[descriptionAnnotation] === description);
    },
  },
  {
    name: "another description, labels and annotations are the user's",
    async run(cluster) {
      const maps = mapsIn(cluster);
      await maps.untilPublished();
      const metadata = { labels: { team: "shop" }, annotations: { [descriptionAnnotation]: "ours", note: "x" } };
      await maps.patch({ metadata });
      await untilCaughtUp(cluster);
      expect((await maps.find())?.metadata).toMatchObject(metadata);
    },
  },
  {
    name: "ConfigMaps of other names are left alone",
    async run(cluster) {
      const maps = mapsIn(cluster);
      await maps.untilPublished();
      await maps.create("other", { a: "b" });
      await maps.patch({ data: { a: "c" } }, "other");
      await untilCaughtUp(cluster);
      expect((await maps.find("other"))?.data).toEqual({ a: "c" });
      await maps.delete("other");
      await mapsIn(cluster).untilPublished();
      expect(await maps.find("other")).toBeUndefined();
    },
  },
  {
    name: "in a namespace that is being deleted it is not created again",
    async run(cluster) {
      await using doomed = await newNamespaceIn(cluster, "doomed", ["example.com/held"]);
      const maps = mapsIn(cluster, doomed.name);
      await maps.untilPublished();
      await doomed.beginDeletion();
      // Where there is a namespace controller, it may have been faster.
      await maps.delete().catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      await untilCaughtUp(cluster);
      expect(await maps.find()).toBeUndefined();
    },
  },
];
