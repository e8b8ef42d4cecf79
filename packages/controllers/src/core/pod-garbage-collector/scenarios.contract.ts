// What users see of the pod garbage collector.
import { type corev1, findCondition, isNotFound, printTime } from "@kubeloop/core/api";
import { nodes, pods } from "@kubeloop/core/resources";
import { expect } from "vitest";
import type { Scenario, ScenarioCluster } from "../../scenarios/scenario.contract.ts";

const held = ["example.com/held"];
const container: corev1.Container = { name: "main", image: "example.com/main:1" };
const outOfService: corev1.Taint = { key: "node.kubernetes.io/out-of-service", value: "shutdown", effect: "NoExecute" };

interface PodFacts {
  /** Of the scenario's own nodes. */
  readonly node?: string;
  readonly isHeld?: boolean;
  readonly phase?: string;
  readonly container?: corev1.Container;
}

/** Pods and nodes of the scenario, and what a user, a kubelet and a cloud do with them. */
const podActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const allPods = client.resource(pods).in(namespace);
  const allNodes = client.resource(nodes);
  const nodeName = (name: string) => `${namespace}-${name}`;
  const find = async (name: string): Promise<corev1.Pod | undefined> => {
    try {
      return await allPods.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const setPhase = (name: string, phase: string) =>
    allPods.subresource("status").patch(name, { type: "merge", body: { status: { phase } } }, signal);
  const create = async (name: string, { node, isHeld, phase, ...more }: PodFacts = {}) => {
    await allPods.create(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, ...(isHeld === true ? { finalizers: held } : {}) },
        spec: {
          containers: [more.container ?? container],
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 3600,
          // Every taint, so that where taint-eviction runs as well it is this controller alone that takes the pods.
          tolerations: [{ operator: "Exists" }],
          ...(node === undefined ? {} : { nodeName: nodeName(node) }),
        },
      },
      signal,
    );
    if (phase !== undefined) await setPhase(name, phase);
  };
  const remove = (name: string) => allPods.delete(name, {}, signal);
  const report = (name: string, isReady: boolean) => {
    const now = printTime(cluster.nowMs());
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastHeartbeatTime: now }];
    const body = { status: { conditions } };
    return allNodes.subresource("status").patch(nodeName(name), { type: "merge", body }, signal);
  };
  return {
    find,
    create,
    remove,
    /** As the kubelet does: a node of which nothing is heard for 50 seconds is not ready. */
    report,
    /** Not ready unless said. */
    createNode: async (
      name: string,
      facts: { readonly isReady?: boolean; readonly taints?: readonly corev1.Taint[] },
    ) => {
      const { isReady = false, taints = [] } = facts;
      const spec = { taints };
      await allNodes.create({ apiVersion: "v1", kind: "Node", metadata: { name: nodeName(name) }, spec }, signal);
      await report(name, isReady);
    },
    removeNode: (name: string) => allNodes.delete(nodeName(name), {}, signal),
    /** As its kubelet does when it has ended. */
    end: (name: string) => allPods.delete(name, { gracePeriodSeconds: 0 }, signal),
    letGo: (name: string) => allPods.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal),
    untilGone: (name: string) => cluster.until(`${name} is gone`, async () => (await find(name)) === undefined),
    /** Waits until it is deleted without grace, and only a finalizer holds it. */
    untilForced: (name: string) =>
      cluster.until(`${name} is deleted without grace`, async () => {
        const pod = await find(name);
        expect(pod?.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: held });
        return pod;
      }),
    untilFailed: (name: string) =>
      cluster.until(`${name} has failed`, async () => {
        const pod = await find(name);
        return pod?.status?.phase === "Failed" ? pod : undefined;
      }),
    /** Waits until a sweep has begun after this call: it takes a pod that is made for that. */
    untilSwept: async (probe: string) => {
      await create(probe, { isHeld: true });
      await remove(probe);
      await cluster.until("a sweep", async () => (await find(probe))?.status?.phase === "Failed");
    },
  };
};

const disruptionOf = (pod: corev1.Pod | undefined) => findCondition(pod?.status?.conditions, "DisruptionTarget");

export const podGarbageCollectorScenarios: readonly Scenario[] = [
  {
    name: "a pod on a node that does not exist is deleted",
    async run(cluster) {
      const { create, untilGone } = podActions(cluster);
      await create("p", { node: "nowhere", phase: "Running" });
      await untilGone("p");
    },
  },
  ...["Pending", "Running"].map(
    (phase): Scenario => ({
      name: `a pod that is ${phase} on a node that does not exist has failed, and the disruption is told`,
      async run(cluster) {
        const { create, untilForced, letGo, untilGone } = podActions(cluster);
        await create("p", { node: "nowhere", isHeld: true, phase });
        const pod = await untilForced("p");
        expect(pod?.status).toMatchObject({ phase: "Failed", observedGeneration: 1 });
        expect(disruptionOf(pod)).toMatchObject({
          status: "True",
          reason: "DeletionByPodGC",
          message: "PodGC: node no longer exists",
          observedGeneration: 1,
        });
        await letGo("p");
        await untilGone("p");
      },
    }),
  ),
  ...["Succeeded", "Failed"].map(
    (phase): Scenario => ({
      name: `a pod that has ${phase} on a node that does not exist is deleted as it is`,
      async run(cluster) {
        const { create, untilForced, letGo, untilGone } = podActions(cluster);
        await create("p", { node: "nowhere", isHeld: true, phase });
        const pod = await untilForced("p");
        expect([pod?.status?.phase, disruptionOf(pod)]).toEqual([phase, undefined]);
        await letGo("p");
        await untilGone("p");
      },
    }),
  ),
  {
    name: "pods of a node go after the node, those of others stay",
    async run(cluster) {
      const { create, createNode, removeNode, untilGone, find } = podActions(cluster);
      await createNode("here", { isReady: true });
      await createNode("there", { isReady: true });
      await create("a", { node: "there", phase: "Running" });
      await create("b", { node: "there", phase: "Running" });
      await create("c", { node: "here", phase: "Running" });
      await create("d");
      await removeNode("there");
      await untilGone("a");
      await untilGone("b");
      expect((await find("c"))?.metadata.deletionTimestamp).toBeUndefined();
      expect((await find("d"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "a pod with environment variables and ports of the same name on a node that does not exist has failed",
    async run(cluster) {
      const { create, untilForced, letGo, untilGone } = podActions(cluster);
      const env = ["1", "2"].map((value) => ({ name: "XYZ", value }));
      const ports = [9376, 9377].map((hostPort) => ({ containerPort: 93, hostPort }));
      await create("p", { node: "nowhere", isHeld: true, container: { ...container, env, ports } });
      expect((await untilForced("p"))?.status?.phase).toBe("Failed");
      await letGo("p");
      await untilGone("p");
    },
  },
  {
    name: "a pod that is being deleted on a node out of service has failed, and is deleted at once",
    async run(cluster) {
      const { create, createNode, remove, removeNode, untilForced, letGo, untilGone } = podActions(cluster);
      await createNode("broken", { taints: [outOfService] });
      await create("p", { node: "broken", isHeld: true, phase: "Running" });
      await remove("p");
      const pod = await untilForced("p");
      expect([pod?.status?.phase, disruptionOf(pod)]).toEqual(["Failed", undefined]);
      await letGo("p");
      await untilGone("p");
      // Whether its taint is the server's or node-lifecycle's depends on which of its reports that has seen.
      await removeNode("broken");
    },
  },
  {
    name: "a pod keeps its grace period on a node that is ready, or not tainted as out of service, or while nobody deletes it",
    async run(cluster) {
      const { create, createNode, report, remove, end, removeNode, find, untilSwept } = podActions(cluster);
      await createNode("ready", { isReady: true, taints: [outOfService] });
      await createNode("unready", {});
      await createNode("broken", { taints: [outOfService] });
      await create("a", { node: "ready", phase: "Running" });
      await create("b", { node: "unready", phase: "Running" });
      await create("c", { node: "broken", phase: "Running" });
      await remove("a");
      await remove("b");
      await untilSwept("one");
      await report("ready", true);
      await untilSwept("two");
      expect((await find("a"))?.metadata.deletionGracePeriodSeconds).toBe(3600);
      expect((await find("b"))?.metadata.deletionGracePeriodSeconds).toBe(3600);
      expect(await find("c")).toMatchObject({ status: { phase: "Running" } });
      expect((await find("c"))?.metadata.deletionTimestamp).toBeUndefined();
      // Or else node-lifecycle would write what became of them in a minute without a sign of life.
      for (const name of ["a", "b", "c"]) await end(name);
      for (const name of ["ready", "unready", "broken"]) await removeNode(name);
    },
  },
  {
    name: "a pod that is being deleted and has no node has failed",
    async run(cluster) {
      const { create, remove, untilFailed, letGo, untilGone } = podActions(cluster);
      await create("p", { isHeld: true });
      await remove("p");
      const pod = await untilFailed("p");
      expect(disruptionOf(pod)).toBeUndefined();
      await letGo("p");
      await untilGone("p");
    },
  },
  {
    name: "a node has 40 seconds to appear",
    needsVirtualTime: true,
    async run(cluster) {
      if (cluster.isDisturbed) return;
      const { create, createNode, find, untilGone } = podActions(cluster);
      await create("late", { node: "late", phase: "Running" });
      await create("never", { node: "never", phase: "Running" });
      await cluster.pass(39_000);
      expect(await find("never")).toBeDefined();
      await createNode("late", {});
      await untilGone("never");
      await cluster.pass(120_000);
      expect((await find("late"))?.metadata.deletionTimestamp).toBeUndefined();
    },
  },
];
