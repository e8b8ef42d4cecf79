// What users see of the serviceaccount controller.
import { isAlreadyExists, isNotFound } from "@kubeloop/core/api";
import { serviceAccounts } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { newNamespaceIn } from "../../scenarios/namespaces.contract.ts";
import { listed, type Scenario, type ScenarioCluster } from "../../scenarios/scenario.contract.ts";

const accountsIn = ({ client, signal }: ScenarioCluster, namespace: string) => {
  const accounts = client.resource(serviceAccounts).in(namespace);
  return {
    get: (name: string) => accounts.get(name, signal),
    create: (name: string) => accounts.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } }, signal),
    label: (name: string, labels: object) =>
      accounts.patch(name, { type: "merge", body: { metadata: { labels } } }, signal),
    async delete(name: string) {
      await accounts.delete(name, {}, signal);
    },
    async find(name: string) {
      try {
        return await accounts.get(name, signal);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
};

const untilDefault = (cluster: ScenarioCluster, namespace: string) =>
  cluster.until(`account default in ${namespace}`, () => accountsIn(cluster, namespace).find("default"));

/** Waits until the controller has worked off what came before: namespaces are looked at one after the other. */
async function untilCaughtUp(cluster: ScenarioCluster, suffix: string): Promise<void> {
  await using later = await newNamespaceIn(cluster, suffix);
  await untilDefault(cluster, later.name);
}

export const serviceAccountScenarios: readonly Scenario[] = [
  {
    name: "a namespace that was there before has the account default",
    async run(cluster) {
      const account = await untilDefault(cluster, cluster.namespace);
      expect(account.secrets ?? []).toEqual([]);
    },
  },
  {
    name: "a new namespace gets the account default, and no other",
    async run(cluster) {
      await using added = await newNamespaceIn(cluster, "added");
      await untilDefault(cluster, added.name);
      const all = await listed({ ...cluster, namespace: added.name }, serviceAccounts);
      expect(all.map(({ metadata }) => metadata.name)).toEqual(["default"]);
    },
  },
  {
    name: "the account default is created again when it is deleted",
    async run(cluster) {
      const account = await untilDefault(cluster, cluster.namespace);
      const { delete: deleteAccount, find } = accountsIn(cluster, cluster.namespace);
      await deleteAccount("default");
      await cluster.until("another account", async () => {
        const found = await find("default");
        return found !== undefined && found.metadata.uid !== account.metadata.uid;
      });
    },
  },
  {
    name: "what a user changes in the account stays",
    async run(cluster) {
      const account = await untilDefault(cluster, cluster.namespace);
      const { label, get } = accountsIn(cluster, cluster.namespace);
      await label("default", { team: "shop" });
      await untilCaughtUp(cluster, "later");
      const found = await get("default");
      expect(found.metadata).toMatchObject({ uid: account.metadata.uid, labels: { team: "shop" } });
    },
  },
  {
    name: "an account of another name that is deleted stays deleted",
    async run(cluster) {
      await untilDefault(cluster, cluster.namespace);
      const { create, delete: deleteAccount, find } = accountsIn(cluster, cluster.namespace);
      await create("builder");
      await deleteAccount("builder");
      await untilCaughtUp(cluster, "later");
      expect(await find("builder")).toBeUndefined();
      expect(await find("default")).toBeDefined();
    },
  },
  {
    name: "an account that a user made first is taken as it is",
    async run(cluster) {
      await untilDefault(cluster, cluster.namespace);
      await using added = await newNamespaceIn(cluster, "added");
      const { create, find } = accountsIn(cluster, added.name);
      // Whoever comes second is refused, and the first account stays.
      const made = await create("default").catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
        return undefined;
      });
      const before = made ?? (await untilDefault(cluster, added.name));
      await untilCaughtUp(cluster, "later");
      expect((await find("default"))?.metadata.uid).toBe(before.metadata.uid);
    },
  },
  {
    name: "in a namespace that is being deleted the account is not created again",
    async run(cluster) {
      await using doomed = await newNamespaceIn(cluster, "doomed", ["example.com/held"]);
      await untilDefault(cluster, doomed.name);
      await doomed.beginDeletion();
      const { delete: deleteAccount, find } = accountsIn(cluster, doomed.name);
      // Where there is a namespace controller, it may have been faster.
      await deleteAccount("default").catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      await untilCaughtUp(cluster, "later");
      expect(await find("default")).toBeUndefined();
    },
  },
];
