// What users see of node-ipam, in a cluster whose nodes get networks of 10.244.0.0/16 and fd00:10:244::/48. Which of the free ones a node gets
// depends on who else is there.
import { type corev1, isNotFound } from "@kubeloop/core/api";
import { nodes } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";

const ipv4 = /^10\.244\.\d+\.0\/24$/;
const ipv6 = /^fd00:10:244:[0-9a-f]*:?:?\/64$/;

function newNodes({ client, namespace, signal, until }: ScenarioCluster) {
  const all = client.resource(nodes);
  const nameOf = (name: string) => `${namespace}-${name}`;
  const get = (name: string) => all.get(nameOf(name), signal);
  return {
    get,
    create: (name: string, spec: corev1.NodeSpec = {}) =>
      all.create({ apiVersion: "v1", kind: "Node", metadata: { name: nameOf(name) }, spec }, signal),
    patch: (name: string, body: object) => all.patch(nameOf(name), { type: "merge", body }, signal),
    async remove(name: string) {
      await all.delete(nameOf(name), {}, signal);
      await until(`${name} is gone`, () =>
        get(name).then(
          () => false,
          (error: unknown) => {
            if (!isNotFound(error)) throw error;
            return true;
          },
        ),
      );
    },
    untilNetworks: (name: string) =>
      until(`the networks of ${name}`, async () => {
        const { podCIDR, podCIDRs = [] } = (await get(name)).spec ?? {};
        if (podCIDRs.length === 0) return undefined;
        expect(podCIDR).toBe(podCIDRs[0]);
        return podCIDRs;
      }),
    /** Of all nodes of the cluster. */
    async networks() {
      const found: string[] = [];
      for await (const { spec } of all.list({}, signal)) found.push(...(spec?.podCIDRs ?? []));
      return found;
    },
  };
}

export const nodeIpamScenarios: readonly Scenario[] = [
  {
    name: "a new node gets a network of each address family",
    async run(cluster) {
      const fleet = newNodes(cluster);
      await fleet.create("n");
      const networks = await fleet.untilNetworks("n");
      expect(networks).toEqual([expect.stringMatching(ipv4), expect.stringMatching(ipv6)]);
    },
  },
  {
    name: "sixty nodes that come at once get networks, none of them twice",
    async run(cluster) {
      const fleet = newNodes(cluster);
      const names = Array.from({ length: 60 }, (_, i) => `n-${i}`);
      await Promise.all(names.map((name) => fleet.create(name)));
      for (const name of names) await fleet.untilNetworks(name);
      const all = await fleet.networks();
      expect(new Set(all).size).toBe(all.length);
      for (const name of names.slice(3)) await fleet.remove(name);
    },
  },
  {
    name: "a node keeps the networks that it came with",
    async run(cluster) {
      const fleet = newNodes(cluster);
      const its = ["10.244.200.0/24", "fd00:10:244:c8::/64"];
      await fleet.create("known", { podCIDR: "10.244.200.0/24", podCIDRs: its });
      await fleet.create("n");
      await fleet.untilNetworks("n");
      expect(await fleet.untilNetworks("known")).toEqual(its);
      await fleet.remove("known");
    },
  },
  {
    name: "a node keeps networks that are none of the cluster's",
    async run(cluster) {
      const fleet = newNodes(cluster);
      await fleet.create("foreign", { podCIDR: "192.168.7.0/24", podCIDRs: ["192.168.7.0/24"] });
      await fleet.create("n");
      await fleet.untilNetworks("n");
      await fleet.patch("foreign", { metadata: { labels: { changed: "yes" } } });
      expect(await fleet.untilNetworks("foreign")).toEqual(["192.168.7.0/24"]);
      // Upstream's manager would not start again with it.
      await fleet.remove("foreign");
    },
  },
  {
    name: "a node keeps its networks when it changes, and another one that comes after it is gone gets its own",
    async run(cluster) {
      const fleet = newNodes(cluster);
      await fleet.create("n");
      const before = await fleet.untilNetworks("n");
      await fleet.patch("n", { metadata: { labels: { changed: "yes" } }, spec: { unschedulable: true } });
      expect(await fleet.untilNetworks("n")).toEqual(before);
      await fleet.remove("n");
      await fleet.create("n");
      await fleet.untilNetworks("n");
      const all = await fleet.networks();
      expect(new Set(all).size).toBe(all.length);
    },
  },
];

/** In a cluster with four networks, of which the Services have one: 10.0.0.0/22 in parts of 24 bits, and 10.0.0.0/24. */
export const smallClusterScenarios: readonly Scenario[] = [
  {
    name: "networks of Services are not given out; when none is left a node waits until one is given back",
    repeatedEvents: ["CIDRNotAvailable"],
    async run(cluster) {
      const fleet = newNodes(cluster);
      const names = ["a", "b", "c"];
      for (const name of names) await fleet.create(name);
      const networks: string[] = [];
      for (const name of names) networks.push(...(await fleet.untilNetworks(name)));
      expect(networks.toSorted()).toEqual(["10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]);
      await fleet.create("d");
      await cluster.pass(30_000);
      expect((await fleet.get("d")).spec?.podCIDRs).toBeUndefined();
      const [freed] = await fleet.untilNetworks("b");
      await fleet.remove("b");
      expect(await fleet.untilNetworks("d")).toEqual([freed]);
    },
  },
];
