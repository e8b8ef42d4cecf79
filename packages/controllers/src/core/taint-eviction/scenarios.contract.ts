// What users see of taint-eviction. There is no kubelet that would end a pod: an evicted pod is one that is being deleted and says why.
import { type corev1, findCondition } from "@kubeloop/core/api";
import { pods } from "@kubeloop/core/resources";
import { expect } from "vitest";
import { newFleet } from "../../scenarios/fleet.contract.ts";
import { type Scenario, type ScenarioCluster, untilEvents } from "../../scenarios/scenario.contract.ts";

const secondMs = 1000;
const taint = (key: string, effect = "NoExecute"): corev1.Taint => ({ key: `example.com/${key}`, effect });
const tolerate = (key: string, seconds?: number): corev1.Toleration => ({
  key: `example.com/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
});
const ofNode = (name: string, tolerationSeconds: number): corev1.Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

function newStage(cluster: ScenarioCluster) {
  const { client, namespace, signal } = cluster;
  const fleet = newFleet(cluster);
  const isDeleted = async (name: string) => {
    const pod = await fleet.findPod(name);
    return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
  };
  return {
    ...fleet,
    isDeleted,
    setTaints: (name: string, ...taints: readonly corev1.Taint[]) => fleet.patch(name, { spec: { taints } }),
    /** Being deleted, and marked before. */
    untilEvicted: (name: string) =>
      fleet.until(`${name} is evicted`, async () => {
        const pod = await fleet.findPod(name);
        expect(pod?.metadata.deletionTimestamp).toBeDefined();
        expect(findCondition(pod?.status?.conditions, "DisruptionTarget")).toMatchObject({
          status: "True",
          reason: "DeletionByTaintManager",
          message: "Taint manager: deleting due to NoExecute taint",
        });
        return true;
      }),
    async expectToStay(...names: readonly string[]) {
      for (const name of names) {
        const pod = await fleet.findPod(name);
        expect([
          name,
          pod?.metadata.deletionTimestamp,
          findCondition(pod?.status?.conditions, "DisruptionTarget"),
        ]).toEqual([name, undefined, undefined]);
      }
    },
    addToleration: async (name: string, toleration: corev1.Toleration) => {
      const pod = await fleet.findPod(name);
      const tolerations = [...(pod?.spec?.tolerations ?? []), toleration];
      await client
        .resource(pods)
        .in(namespace)
        .patch(name, { type: "merge", body: { spec: { tolerations } } }, signal);
    },
    removePod: (name: string) => client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 0 }, signal),
  };
}

export const taintEvictionScenarios: readonly Scenario[] = [
  {
    name: "a pod that does not tolerate a taint is evicted at once; one that does, and those of other nodes, stay",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.create("other", { zone: "z", ready: "True" });
      await stage.createPod("web", "n");
      await stage.createPod("db", "n", { tolerations: [tolerate("maintenance")] });
      await stage.createPod("all", "n", { tolerations: [{ operator: "Exists" }] });
      await stage.createPod("elsewhere", "other");
      await stage.setTaints("n", taint("maintenance"));
      await stage.untilEvicted("web");
      await stage.expectToStay("db", "all", "elsewhere");
      await untilEvents(cluster, { TaintManagerEviction: 1 });
    },
  },
  {
    name: "a pod that comes to a tainted node is evicted",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True", taints: [taint("maintenance")] });
      await stage.createPod("db", "n", { tolerations: [tolerate("maintenance")] });
      await stage.createPod("web", "n", { isUnreported: true });
      await stage.untilEvicted("web");
      await stage.expectToStay("db");
    },
  },
  {
    name: "a pod stays as long as the shortest of the tolerations that it uses",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("short", "n", { tolerations: [tolerate("a", 3), tolerate("b", 3600)] });
      await stage.createPod("long", "n", { tolerations: [tolerate("a", 3600), tolerate("b")] });
      await stage.createPod("unused", "n", { tolerations: [tolerate("a"), tolerate("b"), tolerate("c", 1)] });
      await stage.setTaints("n", taint("a"), taint("b"));
      await stage.untilEvicted("short");
      await stage.expectToStay("long", "unused");
      await untilEvents(cluster, { TaintManagerEviction: 1 });
    },
  },
  {
    name: "a toleration of no time is none",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("zero", "n", { tolerations: [tolerate("a", 0)] });
      await stage.createPod("less", "n", { tolerations: [tolerate("a", -5)] });
      await stage.createPod("for-ever", "n", { tolerations: [tolerate("a")] });
      await stage.setTaints("n", taint("a"));
      await stage.untilEvicted("zero");
      await stage.untilEvicted("less");
      await stage.expectToStay("for-ever");
    },
  },
  {
    name: "a taint that goes before the time is over cancels the eviction",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a", 600)] });
      await stage.createPod("soon", "n", { tolerations: [tolerate("a", 2)] });
      await stage.setTaints("n", taint("a"));
      // By then the time of the other one runs, too.
      await stage.untilEvicted("soon");
      await stage.setTaints("n");
      await untilEvents(cluster, { TaintManagerEviction: 2 });
      await stage.expectToStay("web");
    },
  },
  {
    name: "a pod that tolerates for ever from now on is not evicted",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a", 600)] });
      await stage.createPod("soon", "n", { tolerations: [tolerate("a", 2)] });
      await stage.setTaints("n", taint("a"));
      await stage.untilEvicted("soon");
      await stage.addToleration("web", tolerate("b"));
      // Whoever knows this pod knows the toleration: a controller that saw the taints of a node before it would evict.
      await stage.create("other", { zone: "z", ready: "True", taints: [taint("a")] });
      await stage.createPod("probe", "other", { isUnreported: true });
      await stage.untilEvicted("probe");
      await stage.setTaints("n", taint("b"));
      // Of the one that is being deleted it is told again, because the taints have changed.
      await untilEvents(cluster, { TaintManagerEviction: 4 });
      await stage.expectToStay("web");
    },
  },
  {
    name: "of several taints each has to be tolerated",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a")] });
      await stage.createPod("db", "n", { tolerations: [tolerate("a"), tolerate("b")] });
      await stage.setTaints("n", taint("a"));
      await stage.createPod("probe", "n", { isUnreported: true });
      await stage.untilEvicted("probe");
      await stage.expectToStay("web", "db");
      await stage.setTaints("n", taint("a"), taint("b"));
      await stage.untilEvicted("web");
      await stage.expectToStay("db");
      await untilEvents(cluster, { TaintManagerEviction: 3 });
    },
  },
  {
    name: "taints of another effect evict nobody",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n");
      await stage.setTaints("n", taint("a", "NoSchedule"), taint("b", "PreferNoSchedule"));
      await stage.create("other", { zone: "z", ready: "True" });
      await stage.createPod("probe", "other");
      await stage.setTaints("other", taint("a"));
      await stage.untilEvicted("probe");
      await stage.expectToStay("web");
    },
  },
  {
    name: "a pod that is gone before its time is said to be cancelled",
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a", 600)] });
      await stage.createPod("soon", "n", { tolerations: [tolerate("a", 2)] });
      await stage.setTaints("n", taint("a"));
      await stage.untilEvicted("soon");
      await stage.removePod("web");
      await stage.untilPodGone("web");
      await untilEvents(cluster, { TaintManagerEviction: 2 });
    },
  },
  {
    name: "a pod has five minutes on a node that is lost, whatever the taint is called meanwhile",
    needsVirtualTime: true,
    async run(cluster) {
      const stage = newStage(cluster);
      const tolerations = [ofNode("not-ready", 300), ofNode("unreachable", 300)];
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations });
      const lost = (key: string): corev1.Taint => ({ key: `node.kubernetes.io/${key}`, effect: "NoExecute" });
      await stage.setTaints("n", lost("not-ready"));
      await stage.pass(200 * secondMs);
      await stage.setTaints("n", lost("unreachable"));
      if (!cluster.isDisturbed) {
        await stage.pass(99 * secondMs);
        await stage.expectToStay("web");
        await stage.pass(2 * secondMs);
        expect(await stage.isDeleted("web")).toBe(true);
      }
      await stage.untilEvicted("web");
    },
  },
  {
    name: "a node that comes back in time keeps its pods, and they have all their time when it is lost again",
    needsVirtualTime: true,
    async run(cluster) {
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a", 300)] });
      await stage.setTaints("n", taint("a"));
      await stage.pass(290 * secondMs);
      await stage.setTaints("n");
      await stage.pass(20 * secondMs);
      await stage.expectToStay("web");
      await stage.setTaints("n", taint("a"));
      if (!cluster.isDisturbed) {
        await stage.pass(299 * secondMs);
        await stage.expectToStay("web");
      }
      await stage.pass(2 * secondMs);
      await stage.untilEvicted("web");
    },
  },
  {
    name: "a node that is deleted does not take the decision back",
    needsVirtualTime: true,
    async run(cluster) {
      // A controller that is killed afterwards does not know that the node was tainted.
      if (cluster.isDisturbed) return;
      const stage = newStage(cluster);
      await stage.create("n", { zone: "z", ready: "True" });
      await stage.createPod("web", "n", { tolerations: [tolerate("a", 60)] });
      await stage.setTaints("n", taint("a"));
      await stage.pass(30 * secondMs);
      await stage.remove("n");
      await stage.pass(29 * secondMs);
      await stage.expectToStay("web");
      await stage.untilEvicted("web");
    },
  },
];
