// What users see of the namespace controller.
import { type corev1, isNotFound, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import { configMaps, deployments, namespaces, pods, secrets } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";

const held = { finalizers: ["example.com/held"] };
const container = { name: "main", image: "example.com/main:1" };
const podSpec: corev1.PodSpec = { containers: [container], automountServiceAccountToken: false };

const newConfigMap = (name: string, metadata: object = {}): corev1.ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
});
const newPod = (name: string, metadata: object = {}, spec: Partial<corev1.PodSpec> = {}): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, ...metadata },
  spec: { ...podSpec, ...spec },
});

/** A namespace of its own beside the scenario's, and what a user does with it. */
const namespaceActions = async (cluster: ScenarioCluster) => {
  const { client, signal } = cluster;
  const name = `${cluster.namespace}-going`;
  const all = client.resource(namespaces);
  const at = <T extends KubernetesObject>(resource: Resource<T>) => client.resource(resource).in(name);
  const read = async () => {
    try {
      return await all.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  await all.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  return {
    at,
    read,
    /** A real server admits no pod before its service account is there. */
    create: <T extends KubernetesObject>(resource: Resource<T>, object: T) =>
      cluster.until(`${object.kind} ${object.metadata.name} is admitted`, () => at(resource).create(object, signal)),
    patch: (body: object) => all.patch(name, { type: "merge", body }, signal),
    remove: () => all.delete(name, {}, signal),
    letGo: <T extends KubernetesObject>(resource: Resource<T>, each: string) =>
      at(resource).patch(each, { type: "merge", body: { metadata: { finalizers: null } } }, signal),
    untilGone: () => cluster.until("the namespace is gone", async () => (await read()) === undefined),
    /** Waits until conditions have these statuses, reasons and messages; those that are not named may be as they like. */
    untilConditions: (expected: Readonly<Record<string, string>>) =>
      cluster.until(`conditions ${JSON.stringify(expected)}`, async () => {
        const { conditions = [] } = (await read())?.status ?? {};
        const found = conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]);
        expect(Object.fromEntries(found)).toMatchObject(expected);
        return conditions;
      }),
  };
};

export const namespaceScenarios: readonly Scenario[] = [
  {
    name: "an empty namespace that is deleted is gone",
    async run(cluster) {
      const { remove, untilGone } = await namespaceActions(cluster);
      await remove();
      await untilGone();
    },
  },
  {
    name: "a namespace goes with all that is in it",
    async run(cluster) {
      const { create, remove, untilGone, at } = await namespaceActions(cluster);
      const { signal } = cluster;
      for (const name of ["a", "b", "c"]) await create(configMaps, newConfigMap(name));
      await create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } });
      await create(deployments, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: "web" } },
          template: { metadata: { labels: { app: "web" } }, spec: podSpec },
        },
      });
      await create(pods, newPod("p"));
      await remove();
      await untilGone();
      // What is listed now would belong to a namespace of that name to come.
      const left: KubernetesObject[] = [];
      for await (const each of at(configMaps).list({}, signal)) left.push(each as KubernetesObject);
      for await (const each of at(pods).list({}, signal)) left.push(each as KubernetesObject);
      expect(left).toEqual([]);
    },
  },
  {
    name: "a namespace that is not deleted keeps what it has",
    async run(cluster) {
      const { create, at, read } = await namespaceActions(cluster);
      const { client, signal } = cluster;
      await create(configMaps, newConfigMap("a"));
      // Another one comes and goes meanwhile.
      const other = `${cluster.namespace}-other`;
      await client
        .resource(namespaces)
        .create({ apiVersion: "v1", kind: "Namespace", metadata: { name: other } }, signal);
      await client.resource(namespaces).delete(other, {}, signal);
      await cluster.until("the other is gone", async () => {
        const found = await client
          .resource(namespaces)
          .get(other, signal)
          .catch((error: unknown) => isNotFound(error));
        return found === true;
      });
      expect((await read())?.status?.phase).toBe("Active");
      expect((await at(configMaps).get("a", signal)).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "what a finalizer holds is told in the conditions, and holds the namespace until it is let go",
    async run(cluster) {
      const { create, remove, untilConditions, untilGone, letGo } = await namespaceActions(cluster);
      await create(configMaps, newConfigMap("a", held));
      await create(configMaps, newConfigMap("b"));
      await remove();
      await untilConditions({
        NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
        NamespaceDeletionGroupVersionParsingFailure:
          "False ParsedGroupVersions: All legacy kube types successfully parsed",
        NamespaceDeletionContentFailure:
          "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
        NamespaceContentRemaining:
          "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
        NamespaceFinalizersRemaining:
          "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances",
      });
      await letGo(configMaps, "a");
      await untilGone();
    },
  },
  {
    name: "pods go first: while one is held, nothing else is deleted",
    async run(cluster) {
      const { create, remove, untilConditions, untilGone, letGo, at } = await namespaceActions(cluster);
      const { signal } = cluster;
      await create(pods, newPod("p", held));
      await create(configMaps, newConfigMap("a"));
      await remove();
      await untilConditions({
        // While nothing can be discovered, nothing can be deleted, and that is no failure to delete.
        NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
        NamespaceDeletionContentFailure:
          "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
        NamespaceContentRemaining: "False ContentRemoved: All content successfully removed",
        NamespaceFinalizersRemaining: "False ContentHasNoFinalizers: All content-preserving finalizers finished",
      });
      expect((await at(pods).get("p", signal)).metadata.deletionTimestamp).toBeDefined();
      expect((await at(configMaps).get("a", signal)).metadata.deletionTimestamp).toBeUndefined();
      await letGo(pods, "p");
      await untilGone();
    },
  },
  {
    name: "a pod that is held by its kubelet is waited for",
    async run(cluster) {
      const { create, remove, untilGone, at } = await namespaceActions(cluster);
      const { signal } = cluster;
      await create(pods, newPod("p", {}, { nodeName: "somewhere", terminationGracePeriodSeconds: 20 }));
      await create(configMaps, newConfigMap("a"));
      await remove();
      await cluster.until("the pod is told to end", async () => {
        const { metadata } = await at(pods).get("p", signal);
        return metadata.deletionTimestamp !== undefined;
      });
      expect((await at(configMaps).get("a", signal)).metadata.deletionTimestamp).toBeUndefined();
      // As the kubelet does when it has ended.
      await at(pods).delete("p", { gracePeriodSeconds: 0 }, signal);
      await untilGone();
    },
  },
  {
    name: "a pod that outlives its grace period is told as a failure, and the namespace still waits for it",
    needsVirtualTime: true,
    async run(cluster) {
      const { create, remove, untilConditions, untilGone, at } = await namespaceActions(cluster);
      const { signal, namespace } = cluster;
      await create(pods, newPod("p", {}, { nodeName: "gone", terminationGracePeriodSeconds: 30 }));
      await remove();
      await cluster.pass(20_000);
      // A controller that is away for so long sees the pod only when its grace period is over.
      if (!cluster.isDisturbed)
        await untilConditions({ NamespaceDeletionContentFailure: expect.stringContaining("False ContentDeleted") });
      await cluster.pass(60_000);
      await untilConditions({
        NamespaceDeletionContentFailure: `True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: ${namespace}-going for gvr: /v1, Resource=pods`,
        NamespaceContentRemaining: "False ContentRemoved: All content successfully removed",
      });
      await at(pods).delete("p", { gracePeriodSeconds: 0 }, signal);
      await untilGone();
    },
  },
  {
    name: "a namespace that somebody else holds as well is emptied, and waits",
    async run(cluster) {
      const { create, remove, patch, read, untilConditions, untilGone } = await namespaceActions(cluster);
      await patch({ metadata: { finalizers: ["example.com/mine"] } });
      await create(configMaps, newConfigMap("a"));
      await remove();
      await cluster.until("our finalizer is gone", async () => ((await read())?.spec?.finalizers ?? []).length === 0);
      await untilConditions({ NamespaceContentRemaining: "False ContentRemoved: All content successfully removed" });
      expect((await read())?.metadata.finalizers).toEqual(["example.com/mine"]);
      await patch({ metadata: { finalizers: null } });
      await untilGone();
    },
  },
  {
    name: "a namespace with finalizers of others in its spec is emptied, and keeps them",
    async run({ client, signal, namespace, until }) {
      const name = `${namespace}-kept`;
      const all = client.resource(namespaces);
      const spec = { finalizers: ["example.com/b", "kubernetes", "example.com/a"] };
      await all.create({ apiVersion: "v1", kind: "Namespace", metadata: { name }, spec }, signal);
      await client.resource(configMaps).in(name).create(newConfigMap("a"), signal);
      await all.delete(name, {}, signal);
      // It stays, so that what two managers leave of it can be compared.
      await until("it is let go of", async () => {
        const { spec, status } = await all.get(name, signal);
        expect(spec?.finalizers).toEqual(["example.com/a", "example.com/b"]);
        expect(status?.conditions?.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "False"));
        return true;
      });
      const { items } = await client.resource(configMaps).in(name).list({}, signal).toArray();
      expect(items).toEqual([]);
    },
  },
  {
    name: "many objects go, also of several kinds",
    async run(cluster) {
      const { create, remove, untilGone } = await namespaceActions(cluster);
      for (let i = 0; i < 30; i++) {
        await create(configMaps, newConfigMap(`c${i}`));
        await create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name: `s${i}` } });
      }
      await remove();
      await untilGone();
    },
  },
  {
    name: "nothing is deleted in the first five seconds",
    needsVirtualTime: true,
    async run(cluster) {
      if (cluster.isDisturbed) return;
      const { create, remove, untilGone, at } = await namespaceActions(cluster);
      await create(configMaps, newConfigMap("a"));
      await remove();
      await cluster.pass(4900);
      expect((await at(configMaps).get("a", cluster.signal)).metadata.name).toBe("a");
      await cluster.pass(1000);
      await untilGone();
    },
  },
  {
    name: "a namespace can be made anew under the same name, and be deleted again",
    async run(cluster) {
      const { create, remove, untilGone } = await namespaceActions(cluster);
      await create(configMaps, newConfigMap("a"));
      await remove();
      await untilGone();
      const again = await namespaceActions(cluster);
      await again.create(configMaps, newConfigMap("a"));
      await again.remove();
      await again.untilGone();
    },
  },
];
