// What users see of the garbage collector.
import {
  defineResource,
  isNotFound,
  type KubernetesObject,
  type metav1,
  type Resource,
  type SubresourceTypes,
} from "@kubeloop/core/api";
import {
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  events,
  horizontalPodAutoscalers,
  secrets,
} from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";

type Policy = "Background" | "Foreground" | "Orphan";

interface Made {
  readonly owners?: readonly metav1.OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly body?: object;
  readonly namespace?: string;
}

export const reference = (
  owner: KubernetesObject,
  more: Partial<metav1.OwnerReference> = {},
): metav1.OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name ?? "",
  uid: owner.metadata.uid ?? "",
  ...more,
});
const blocking = (owner: KubernetesObject) => reference(owner, { blockOwnerDeletion: true });

/** Objects that own each other, and what a user does with them. */
export const ownerActions = (cluster: ScenarioCluster) => {
  const { client, signal } = cluster;
  const at = (resource: Resource, namespace = cluster.namespace) => {
    const all = client.resource<KubernetesObject, SubresourceTypes>(resource);
    return resource.namespaced ? all.in(namespace) : all;
  };
  const find = async (resource: Resource, object: KubernetesObject): Promise<KubernetesObject | undefined> => {
    try {
      const { name = "", namespace, uid } = object.metadata;
      const found = await at(resource, namespace).get(name, signal);
      return found.metadata.uid === uid ? found : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const patch = (resource: Resource, { metadata }: KubernetesObject, body: object) =>
    at(resource, metadata.namespace).patch(metadata.name ?? "", { type: "merge", body }, signal);
  return {
    find,
    patch,
    create: (resource: Resource, name: string, { owners = [], finalizers = [], body = {}, namespace }: Made = {}) => {
      const metadata = { name, ownerReferences: owners, finalizers };
      return at(resource, namespace).create(
        { apiVersion: resource.apiVersion, kind: resource.kind, metadata, ...body },
        signal,
      );
    },
    remove: async (resource: Resource, { metadata }: KubernetesObject, propagationPolicy: Policy) => {
      await at(resource, metadata.namespace).delete(metadata.name ?? "", { propagationPolicy }, signal);
    },
    untilGone: (resource: Resource, ...objects: readonly KubernetesObject[]) =>
      cluster.until(`${objects.map(({ metadata }) => metadata.name)} to be gone`, async () => {
        const found = await Promise.all(objects.map((object) => find(resource, object)));
        return found.every((each) => each === undefined);
      }),
    /** Waits until it is being deleted, or its finalizers are as expected. */
    untilFinalizers: (resource: Resource, object: KubernetesObject, expected: readonly string[]) =>
      cluster.until(`${object.metadata.name} with finalizers ${expected}`, async () => {
        const found = await find(resource, object);
        expect(found?.metadata.deletionTimestamp).toBeDefined();
        expect([...(found?.metadata.finalizers ?? [])].sort()).toEqual([...expected].sort());
        return true;
      }),
    /** Waits until it has references to just these owners. */
    untilOwners: (resource: Resource, object: KubernetesObject, expected: readonly KubernetesObject[]) =>
      cluster.until(`${object.metadata.name} with ${expected.length} owners`, async () => {
        const found = await find(resource, object);
        expect(found).toBeDefined();
        const uids = (found?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
        expect(uids).toEqual(expected.map(({ metadata }) => metadata.uid));
        return true;
      }),
    expectThere: async (resource: Resource, object: KubernetesObject) => {
      const found = await find(resource, object);
      expect(found?.metadata.name).toBe(object.metadata.name);
      expect(found?.metadata.deletionTimestamp).toBeUndefined();
    },
    /** Waits for the event that tells of an owner in another namespace. */
    untilInvalidNamespace: async (object: KubernetesObject, namespace: string) => {
      if (cluster.isDisturbed) return;
      await cluster.until(`OwnerRefInvalidNamespace on ${object.metadata.name}`, async () => {
        for await (const event of client.resource(events).in(namespace).list({}, signal)) {
          if (event.reason !== "OwnerRefInvalidNamespace") continue;
          if (event.involvedObject.uid === object.metadata.uid) return event.message;
        }
        return undefined;
      });
    },
  };
};

const newWidgets = ({ namespace }: ScenarioCluster) =>
  defineResource({ group: `${namespace}.example.com`, version: "v1", kind: "Widget", plural: "widgets" });

/** A kind of its own, and a wait until it can be used. */
async function serveWidgets(cluster: ScenarioCluster): Promise<Resource> {
  const { client, signal } = cluster;
  const { group, version, kind, plural } = newWidgets(cluster);
  await client.resource(customResourceDefinitions).create(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
    signal,
  );
  await cluster.until("the kind to be established", async () => {
    const { status } = await client.resource(customResourceDefinitions).get(`${plural}.${group}`, signal);
    return status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True");
  });
  return newWidgets(cluster);
}

export const garbageCollectorScenarios: readonly Scenario[] = [
  {
    name: "background: what an object owns goes after it, and what that owns, too; what others own stays",
    async run(cluster) {
      const { create, remove, untilGone, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const child = await create(configMaps, "child", { owners: [reference(owner)] });
      const grandchild = await create(secrets, "grandchild", { owners: [reference(child)] });
      const other = await create(configMaps, "other");
      const others = await create(configMaps, "others", { owners: [reference(other)] });
      await remove(configMaps, owner, "Background");
      await untilGone(configMaps, owner, child);
      await untilGone(secrets, grandchild);
      await expectThere(configMaps, others);
    },
  },
  {
    name: "foreground: an owner waits for the dependents that block it",
    async run(cluster) {
      const { create, remove, patch, untilGone, untilFinalizers, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const quick = await create(configMaps, "quick", { owners: [blocking(owner)] });
      const slow = await create(configMaps, "slow", { owners: [blocking(owner)], finalizers: ["example.com/slow"] });
      const bystander = await create(configMaps, "bystander");
      await remove(configMaps, owner, "Foreground");
      await untilGone(configMaps, quick);
      await untilFinalizers(configMaps, slow, ["example.com/slow"]);
      await untilFinalizers(configMaps, owner, ["foregroundDeletion"]);
      await patch(configMaps, slow, { metadata: { finalizers: null } });
      await untilGone(configMaps, slow, owner);
      await expectThere(configMaps, bystander);
    },
  },
  {
    name: "foreground: an owner does not wait for dependents that do not block it, and they go all the same",
    async run(cluster) {
      const { create, remove, patch, untilGone, untilFinalizers } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const slow = await create(configMaps, "slow", { owners: [reference(owner)], finalizers: ["example.com/slow"] });
      await remove(configMaps, owner, "Foreground");
      await untilGone(configMaps, owner);
      await untilFinalizers(configMaps, slow, ["example.com/slow"]);
      await patch(configMaps, slow, { metadata: { finalizers: null } });
      await untilGone(configMaps, slow);
    },
  },
  {
    name: "foreground: a chain goes from its end",
    async run(cluster) {
      const { create, remove, patch, untilGone, untilFinalizers } = ownerActions(cluster);
      const top = await create(configMaps, "top");
      const middle = await create(configMaps, "middle", { owners: [blocking(top)] });
      const finalizers = ["example.com/slow"];
      const end = await create(configMaps, "end", { owners: [blocking(middle)], finalizers });
      await remove(configMaps, top, "Foreground");
      await untilFinalizers(configMaps, end, finalizers);
      await untilFinalizers(configMaps, middle, ["foregroundDeletion"]);
      await untilFinalizers(configMaps, top, ["foregroundDeletion"]);
      await patch(configMaps, end, { metadata: { finalizers: null } });
      await untilGone(configMaps, end, middle, top);
    },
  },
  {
    name: "foreground: those that own each other in a circle go together",
    async run(cluster) {
      const { create, remove, patch, untilGone } = ownerActions(cluster);
      const one = await create(configMaps, "one");
      const two = await create(configMaps, "two", { owners: [blocking(one)] });
      const three = await create(configMaps, "three", { owners: [blocking(two)] });
      await patch(configMaps, one, { metadata: { ownerReferences: [blocking(three)] } });
      await remove(configMaps, one, "Foreground");
      await untilGone(configMaps, one, two, three);
    },
  },
  {
    name: "foreground: a dependent with another owner stays, and does not block the one that goes",
    async run(cluster) {
      const { create, remove, untilGone, untilOwners } = ownerActions(cluster);
      const goes = await create(configMaps, "goes");
      const stays = await create(configMaps, "stays");
      const child = await create(configMaps, "child", { owners: [blocking(goes), reference(stays)] });
      await remove(configMaps, goes, "Foreground");
      await untilGone(configMaps, goes);
      await untilOwners(configMaps, child, [stays]);
    },
  },
  {
    name: "foreground, twice: the collector removes its finalizer each time, and leaves others alone",
    async run(cluster) {
      const { create, remove, patch, untilGone, untilFinalizers } = ownerActions(cluster);
      const finalizers = ["example.com/slow"];
      const object = await create(configMaps, "object", { finalizers });
      await remove(configMaps, object, "Foreground");
      await untilFinalizers(configMaps, object, finalizers);
      await remove(configMaps, object, "Foreground");
      await untilFinalizers(configMaps, object, finalizers);
      await patch(configMaps, object, { metadata: { finalizers: null } });
      await untilGone(configMaps, object);
    },
  },
  {
    name: "orphan: dependents live on without the owner",
    async run(cluster) {
      const { create, remove, untilGone, untilOwners } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const other = await create(configMaps, "other");
      const child = await create(configMaps, "child", { owners: [reference(owner)] });
      const shared = await create(secrets, "shared", { owners: [blocking(owner), reference(other)] });
      await remove(configMaps, owner, "Orphan");
      await untilGone(configMaps, owner);
      await untilOwners(configMaps, child, []);
      await untilOwners(secrets, shared, [other]);
    },
  },
  {
    name: "a dependent with another owner loses only the reference to the one that is gone",
    async run(cluster) {
      const { create, remove, untilGone, untilOwners } = ownerActions(cluster);
      const goes = await create(configMaps, "goes");
      const stays = await create(configMaps, "stays");
      const child = await create(configMaps, "child", { owners: [reference(goes), reference(stays)] });
      await remove(configMaps, goes, "Background");
      await untilGone(configMaps, goes);
      await untilOwners(configMaps, child, [stays]);
    },
  },
  {
    name: "an owner that never was, and one that was made anew under its name, own nothing",
    async run(cluster) {
      const { create, remove, untilGone, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const never = await create(configMaps, "never", {
        owners: [reference(owner, { name: "nobody", uid: "no-such" })],
      });
      await remove(configMaps, owner, "Background");
      const again = await create(configMaps, "owner");
      const late = await create(configMaps, "late", { owners: [reference(owner)] });
      await untilGone(configMaps, never, late);
      await expectThere(configMaps, again);
    },
  },
  {
    name: "an owner in another namespace is none: its dependent goes, and an event says why",
    async run(cluster) {
      const { create, remove, untilGone, untilInvalidNamespace, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, `${cluster.namespace}-owner`, { namespace: "default" });
      const good = await create(configMaps, "good", { namespace: "default", owners: [reference(owner)] });
      const bad = await create(configMaps, "bad", { owners: [reference(owner)] });
      await untilGone(configMaps, bad);
      await untilInvalidNamespace(bad, cluster.namespace);
      await expectThere(configMaps, owner);
      await expectThere(configMaps, good);
      await remove(configMaps, owner, "Background");
      await untilGone(configMaps, owner, good);
    },
  },
  {
    name: "a cluster-scoped object with a namespaced owner is never deleted",
    async run(cluster) {
      const { create, remove, untilGone, untilInvalidNamespace, expectThere } = ownerActions(cluster);
      const owner = await create(configMaps, "owner");
      const owners = [reference(owner)];
      const role = await create(clusterRoles, `${cluster.namespace}-role`, { owners, body: { rules: [] } });
      const child = await create(configMaps, "child", { owners });
      await untilInvalidNamespace(role, "default");
      await remove(configMaps, owner, "Background");
      await untilGone(configMaps, owner, child);
      await expectThere(clusterRoles, role);
      await remove(clusterRoles, role, "Background");
    },
  },
  {
    name: "a cluster-scoped owner owns in every namespace",
    async run(cluster) {
      const { create, remove, untilGone, expectThere } = ownerActions(cluster);
      const role = await create(clusterRoles, `${cluster.namespace}-role`, { body: { rules: [] } });
      const owners = [reference(role)];
      const here = await create(configMaps, "here", { owners });
      const there = await create(configMaps, `${cluster.namespace}-there`, { owners, namespace: "default" });
      const never = await create(configMaps, "never", {
        owners: [reference(role, { name: "nobody", uid: "no-such" })],
      });
      await untilGone(configMaps, never);
      await expectThere(configMaps, here);
      await remove(clusterRoles, role, "Background");
      await untilGone(configMaps, here, there);
    },
  },
  {
    name: "an owner may be named in any version that is served",
    async run(cluster) {
      const { create, remove, untilGone, expectThere } = ownerActions(cluster);
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const owner = await create(horizontalPodAutoscalers, "owner", {
        body: { spec: { scaleTargetRef, maxReplicas: 2 } },
      });
      const child = await create(configMaps, "child", { owners: [reference(owner, { apiVersion: "autoscaling/v1" })] });
      const never = await create(configMaps, "never", {
        owners: [reference(owner, { name: "nobody", uid: "no-such" })],
      });
      await untilGone(configMaps, never);
      await expectThere(configMaps, child);
      await remove(horizontalPodAutoscalers, owner, "Background");
      await untilGone(configMaps, child);
    },
  },
  {
    name: "a kind that is defined later owns and is owned as any other",
    needsRealServer: true,
    async run(cluster) {
      const { create, remove, untilGone, untilOwners } = ownerActions(cluster);
      const widgets = await serveWidgets(cluster);
      const widget = await create(widgets, "owner");
      const child = await create(configMaps, "child", { owners: [blocking(widget)] });
      const part = await create(widgets, "part", { owners: [blocking(child)] });
      await remove(widgets, widget, "Foreground");
      await untilGone(widgets, widget, part);
      await untilGone(configMaps, child);

      const owner = await create(configMaps, "owner");
      const other = await create(configMaps, "other");
      const orphan = await create(widgets, "orphan", { owners: [reference(owner)] });
      const shared = await create(widgets, "shared", { owners: [reference(owner), reference(other)] });
      await remove(configMaps, owner, "Orphan");
      await untilGone(configMaps, owner);
      await untilOwners(widgets, orphan, []);
      await untilOwners(widgets, shared, [other]);
      const { group, plural } = widgets;
      const definition = await cluster.client
        .resource(customResourceDefinitions)
        .get(`${plural}.${group}`, cluster.signal);
      await remove(customResourceDefinitions, definition, "Background");
    },
  },
];
