// What users see of the ttl controller. The number of nodes is the whole cluster's: on a real server these scenarios run one after the other,
// before those of other controllers that leave nodes behind.
import { type corev1, isNotFound } from "@kubeloop/core/api";
import { nodes } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";
import { ttlAnnotation } from "./decide.ts";

/** The scenario's nodes, n-0, n-1, …; all are deleted when the scenario leaves the block. */
function newFleet({ client, namespace, signal, until }: ScenarioCluster) {
  const all = client.resource(nodes);
  const nameOf = (i: number) => `${namespace}-n-${i}`;
  let size = 0;
  const seconds = ({ metadata }: Pick<corev1.Node, "metadata">) => metadata.annotations?.[ttlAnnotation];
  const get = (i: number) => all.get(nameOf(i), signal);
  const remove = (i: number) =>
    all.delete(nameOf(i), {}, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  return {
    get,
    remove,
    /** Adds nodes at the end, or deletes from there. */
    async resize(to: number) {
      for (; size < to; size++) {
        await all.create({ apiVersion: "v1", kind: "Node", metadata: { name: nameOf(size) } }, signal);
      }
      for (; size > to; size--) await remove(size - 1);
    },
    patch: (i: number, metadata: object) => all.patch(nameOf(i), { type: "merge", body: { metadata } }, signal),
    /** As the kubelets do every few minutes: each writes its node; `beat` makes it another write. */
    async beatAll(beat: string) {
      for (let i = 0; i < size; i++) {
        await all.patch(nameOf(i), { type: "merge", body: { metadata: { labels: { beat } } } }, signal);
      }
    },
    async untilAll(expected: number) {
      await until(`all are told ${expected}`, async () => {
        let told = 0;
        for await (const node of all.list({}, signal)) {
          if (node.metadata.name?.startsWith(`${namespace}-`) && seconds(node) === String(expected)) told++;
        }
        return told === size;
      });
    },
    until: (i: number, expected: number) =>
      until(`node ${i} is told ${expected}`, async () => seconds(await get(i)) === String(expected)),
    async [Symbol.asyncDispose]() {
      for (let i = 0; i < size; i++) await remove(i);
    },
  };
}

export const ttlScenarios: readonly Scenario[] = [
  {
    name: "in a small cluster nodes are told not to keep anything",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(3);
      await fleet.untilAll(0);
    },
  },
  {
    name: "an annotation that a user changes is put back",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(1);
      await fleet.untilAll(0);
      await fleet.patch(0, { annotations: { [ttlAnnotation]: "3600" } });
      await fleet.untilAll(0);
    },
  },
  {
    name: "an annotation that is taken away is put back, and others stay",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(1);
      await fleet.untilAll(0);
      await fleet.patch(0, { annotations: { [ttlAnnotation]: null, note: "x" } });
      await fleet.untilAll(0);
      expect((await fleet.get(0)).metadata.annotations).toMatchObject({ note: "x" });
    },
  },
  {
    name: "above 100 nodes they are told to keep things for 15 seconds, each with its next update",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(100);
      await fleet.untilAll(0);
      await fleet.resize(101);
      await fleet.until(100, 15);
      await fleet.beatAll("1");
      await fleet.untilAll(15);
    },
  },
  {
    name: "below 90 nodes they are told not to keep anything again",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(101);
      await fleet.until(100, 15);
      await fleet.resize(89);
      await fleet.beatAll("1");
      await fleet.untilAll(0);
    },
  },
  {
    name: "from 101 nodes to 90 nothing changes; one less, and it does",
    async run(cluster) {
      await using fleet = newFleet(cluster);
      await fleet.resize(101);
      await fleet.until(100, 15);
      await fleet.resize(90);
      // A controller that was killed counts anew from none: then 90 nodes are few.
      if (!cluster.isDisturbed) {
        await fleet.beatAll("1");
        await fleet.untilAll(15);
      }
      await fleet.resize(89);
      await fleet.beatAll("2");
      await fleet.untilAll(0);
    },
  },
];
