// What users see of the disruption controller. Pods are the scenario's own: their controllers are being deleted and held back by a finalizer, so
// that nobody makes or deletes pods for them, whichever other controllers run. How many pods they want counts all the same.
import {
  type appsv1,
  type corev1,
  defineResource,
  findCondition,
  isNotFound,
  isTooManyRequests,
  type KubernetesObject,
  type metav1,
  type policyv1,
  printTime,
  type Resource,
  type SubresourceTypes,
} from "@kubeloop/core/api";
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  events,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import { expect } from "vitest";
import {
  listed,
  type Scenario,
  type ScenarioCluster,
  setReady,
  untilEvents,
  untilNotServed,
} from "../../scenarios/scenario.contract.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } };
const matching = { selector: { matchLabels: labels }, template };

interface Counts {
  readonly expected: number;
  readonly desired: number;
  readonly healthy: number;
  readonly allowed: number;
  /** SufficientPods or InsufficientPods, by what is allowed, unless given. */
  readonly reason?: string;
  readonly disrupted?: readonly string[];
}

interface WantedPods extends Readonly<Record<string, unknown>> {
  readonly replicas: number;
}

interface PodFacts {
  readonly owner?: KubernetesObject;
  readonly isReady?: boolean;
  readonly isHeld?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Budgets, pods and their controllers, and what a user and a kubelet do with them. */
const budgetActions = (cluster: ScenarioCluster) => {
  const { client, namespace, signal } = cluster;
  const at = (resource: Resource) => {
    const all = client.resource<KubernetesObject, SubresourceTypes>(resource);
    return resource.namespaced ? all.in(namespace) : all;
  };
  const budgets = client.resource(podDisruptionBudgets).in(namespace);
  const create = (resource: Resource, name: string, body: object = {}, metadata: metav1.ObjectMeta = {}) =>
    at(resource).create(
      { apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name, ...metadata }, ...body },
      signal,
    );
  const createPod = async (name: string, facts: PodFacts = {}) => {
    const { owner, isReady = true, isHeld = false } = facts;
    const ownerReferences: metav1.OwnerReference[] =
      owner === undefined ? [] : [{ ...referenceTo(owner), controller: true, blockOwnerDeletion: true }];
    const finalizers = isHeld ? ["example.com/held"] : [];
    const spec = { ...template.spec, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 };
    const pod = await create(pods, name, { spec }, { labels: facts.labels ?? labels, ownerReferences, finalizers });
    await setReady(cluster, pod as corev1.Pod, isReady);
  };
  return {
    create,
    createPod,
    createPods: async (names: readonly string[], facts: PodFacts = {}) => {
      for (const name of names) await createPod(name, facts);
    },
    /** A controller that is being deleted: it wants so many pods, and nobody does anything about it. */
    createOwner: async (
      resource: Resource,
      name: string,
      spec: WantedPods & object,
      metadata: metav1.ObjectMeta = {},
    ) => {
      const { replicas } = spec;
      const held = { ...metadata, finalizers: ["example.com/held"] };
      const untilSeen = ({ metadata: { generation = 0 } }: KubernetesObject) =>
        cluster.until(`generation ${generation} of ${name} has been looked at`, async () => {
          const { status } = (await at(resource).get(name, signal)) as appsv1.ReplicaSet;
          return (status?.observedGeneration ?? 0) >= generation;
        });
      const owner = await create(resource, name, { spec: { ...spec, replicas: 0 } }, held);
      // Its controller makes a set of it and says so. If it were deleted meanwhile, what is said of the set would be a matter of time.
      if (resource === deployments) await untilSeen(owner);
      await at(resource).delete(name, { propagationPolicy: "Background" }, signal);
      const wanted = await at(resource).patch(name, { type: "merge", body: { spec: { replicas } } }, signal);
      // A controller that does not know yet that it is being deleted would delete pods of a set that wants none.
      if (resource === replicaSets || resource === replicationControllers) await untilSeen(wanted);
      return owner;
    },
    setReady: async (name: string, isReady = true) =>
      setReady(cluster, (await at(pods).get(name, signal)) as corev1.Pod, isReady),
    patch: (resource: Resource, name: string, body: object) =>
      at(resource).patch(name, { type: "merge", body }, signal),
    patchStatus: (resource: Resource, name: string, status: object) =>
      at(resource).subresource("status").patch(name, { type: "merge", body: { status } }, signal),
    remove: (resource: Resource, name: string) =>
      at(resource).delete(name, { propagationPolicy: "Background" }, signal),
    guard: (name: string, spec: policyv1.PodDisruptionBudgetSpec) =>
      budgets.create(
        {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: { name },
          spec: { selector: { matchLabels: labels }, ...spec },
        },
        signal,
      ),
    evict: (name: string) =>
      at(pods)
        .subresource("eviction")
        .create(name, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } }, signal),
    untilStatus: (name: string, counts: Counts) =>
      cluster.until(`${name} with ${JSON.stringify(counts)}`, async () => {
        const { metadata, status } = await budgets.get(name, signal);
        const { reason = counts.allowed > 0 ? "SufficientPods" : "InsufficientPods", disrupted = [] } = counts;
        const condition = findCondition(status?.conditions, "DisruptionAllowed");
        expect({
          expected: status?.expectedPods,
          desired: status?.desiredHealthy,
          healthy: status?.currentHealthy,
          allowed: status?.disruptionsAllowed,
          disrupted: Object.keys(status?.disruptedPods ?? {}).sort(),
          reason: condition?.reason,
          status: condition?.status,
          // To see why, where it fails.
          message: condition?.reason === reason ? "" : condition?.message,
        }).toEqual({ ...counts, reason, disrupted, status: counts.allowed > 0 ? "True" : "False", message: "" });
        if (reason !== "SyncFailed") expect(status?.observedGeneration).toBe(metadata.generation);
        return { message: condition?.message };
      }),
    untilGone: (resource: Resource, name: string) =>
      cluster.until(`${name} to be gone`, () =>
        at(resource)
          .get(name, signal)
          .then(
            () => false,
            (error: unknown) => isNotFound(error),
          ),
      ),
  };
};

const referenceTo = ({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubernetesObject) => ({
  apiVersion,
  kind,
  name,
  uid,
});

export const disruptionScenarios: readonly Scenario[] = [
  {
    name: "a number of pods must be available: the status follows their readiness",
    async run(cluster) {
      const { createPods, guard, setReady: ready, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b", "c"], { isReady: false });
      await guard("web", { minAvailable: 2 });
      await untilStatus("web", { expected: 3, desired: 2, healthy: 0, allowed: 0 });
      await ready("a");
      await ready("b");
      await untilStatus("web", { expected: 3, desired: 2, healthy: 2, allowed: 0 });
      await ready("c");
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
      await ready("a", false);
      await untilStatus("web", { expected: 3, desired: 2, healthy: 2, allowed: 0 });
    },
  },
  {
    name: "a share of a ReplicaSet's pods must be available, rounded up",
    async run(cluster) {
      const { create, guard, patch, setReady: ready, untilStatus } = budgetActions(cluster);
      await create(replicaSets, "web", { spec: { replicas: 3, ...matching } });
      const made = await cluster.until("three pods", async () => {
        const all = await listed(cluster, pods);
        return all.length === 3 && all.map(({ metadata }) => metadata.name ?? "");
      });
      await guard("web", { minAvailable: "50%" });
      await untilStatus("web", { expected: 3, desired: 2, healthy: 0, allowed: 0 });
      for (const name of made) await ready(name);
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
      await patch(podDisruptionBudgets, "web", { spec: { minAvailable: "30%" } });
      await untilStatus("web", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
      await patch(replicaSets, "web", { spec: { replicas: 5 } });
      await untilStatus("web", { expected: 5, desired: 2, healthy: 3, allowed: 1 });
    },
  },
  {
    name: "a number or a share may be unavailable, of what a ReplicationController wants",
    async run(cluster) {
      const { createOwner, createPods, guard, patch, untilStatus } = budgetActions(cluster);
      const owner = await createOwner(replicationControllers, "web", { replicas: 5, selector: labels, template });
      await createPods(["a", "b", "c", "d"], { owner });
      await guard("web", { maxUnavailable: 2 });
      await untilStatus("web", { expected: 5, desired: 3, healthy: 4, allowed: 1 });
      await patch(podDisruptionBudgets, "web", { spec: { maxUnavailable: "50%" } });
      // Rounded up: three of five may be away.
      await untilStatus("web", { expected: 5, desired: 2, healthy: 4, allowed: 2 });
      await patch(podDisruptionBudgets, "web", { spec: { maxUnavailable: 9 } });
      await untilStatus("web", { expected: 5, desired: 0, healthy: 4, allowed: 4 });
      await patch(podDisruptionBudgets, "web", { spec: { maxUnavailable: 0 } });
      await untilStatus("web", { expected: 5, desired: 5, healthy: 4, allowed: 0 });
    },
  },
  {
    name: "both ReplicaSets of a Deployment count as the Deployment says",
    async run(cluster) {
      const { createOwner, createPods, guard, untilStatus } = budgetActions(cluster);
      const deployment = await createOwner(deployments, "web", { replicas: 4, ...matching });
      const ownerReferences = [{ ...referenceTo(deployment), controller: true, blockOwnerDeletion: true }];
      const old = await createOwner(replicaSets, "web-old", { replicas: 3, ...matching }, { labels, ownerReferences });
      const now = await createOwner(replicaSets, "web-new", { replicas: 2, ...matching }, { labels, ownerReferences });
      await createPods(["old-1", "old-2", "old-3"], { owner: old });
      await createPods(["new-1"], { owner: now });
      await guard("web", { maxUnavailable: 1 });
      await untilStatus("web", { expected: 4, desired: 3, healthy: 4, allowed: 1 });
    },
  },
  {
    name: "controllers that share a budget are added up",
    async run(cluster) {
      const { createOwner, createPods, patch, setReady: ready, guard, untilStatus } = budgetActions(cluster);
      const set = await createOwner(statefulSets, "db", { replicas: 3, serviceName: "db", ...matching });
      const other = await createOwner(replicationControllers, "cache", { replicas: 2, selector: labels, template });
      await createPods(["db-0", "db-1", "db-2"], { owner: set });
      await createPods(["cache-1", "cache-2"], { owner: other });
      await guard("all", { minAvailable: "60%" });
      await untilStatus("all", { expected: 5, desired: 3, healthy: 5, allowed: 2 });
      await patch(statefulSets, "db", { spec: { replicas: 8 } });
      // A budget is computed when it or one of its pods changes.
      await ready("db-2", false);
      await untilStatus("all", { expected: 10, desired: 6, healthy: 4, allowed: 0 });
    },
  },
  {
    name: "of pods without a controller no share can be told",
    repeatedEvents: ["UnmanagedPods"],
    async run(cluster) {
      const { createOwner, createPods, guard, untilStatus } = budgetActions(cluster);
      const owner = await createOwner(replicationControllers, "web", { replicas: 2, selector: labels, template });
      await createPods(["a", "b"], { owner });
      await createPods(["lone"]);
      await guard("web", { maxUnavailable: 1 });
      await untilStatus("web", { expected: 2, desired: 1, healthy: 3, allowed: 2 });
      if (cluster.isDisturbed) return;
      await cluster.until("the event UnmanagedPods", async () => {
        const found = (await listed(cluster, events)).find(({ reason }) => reason === "UnmanagedPods");
        expect(found?.message).toContain(
          "(selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},})",
        );
        return found;
      });
    },
  },
  {
    name: "a budget whose pods nobody can count allows nothing, until these are gone",
    repeatedEvents: ["CalculateExpectedPodCountFailed"],
    async run(cluster) {
      const { create, createOwner, createPods, remove, guard, untilStatus, untilGone } = budgetActions(cluster);
      const owner = await createOwner(replicationControllers, "web", { replicas: 3, selector: labels, template });
      const strange = await create(configMaps, "strange");
      await createPods(["a", "b", "c"], { owner });
      await guard("web", { maxUnavailable: 1 });
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
      await createPods(["d"], { owner: strange });
      const failed = { expected: 3, desired: 2, healthy: 3, allowed: 0, reason: "SyncFailed" };
      expect(await untilStatus("web", failed)).toEqual({
        message: "configmaps does not implement the scale subresource",
      });
      await remove(pods, "d");
      await untilGone(pods, "d");
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
    },
  },
  {
    name: "a budget that selects nothing allows nothing, and an event tells of it",
    repeatedEvents: ["NoPods"],
    async run(cluster) {
      const { createPods, guard, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await guard("none", { minAvailable: 1, selector: { matchLabels: { app: "other" } } });
      await untilStatus("none", { expected: 0, desired: 1, healthy: 0, allowed: 0 });
      await untilEventOf(cluster, "NoPods");
    },
  },
  {
    name: "an empty selector selects every pod of the namespace",
    async run(cluster) {
      const { createPods, guard, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await createPods(["c"], { labels: {} });
      await guard("all", { minAvailable: 1, selector: {} });
      await untilStatus("all", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
    },
  },
  {
    name: "an eviction takes from the budget, and is refused when nothing is left",
    async run(cluster) {
      const { createPod, createPods, guard, evict, untilStatus, untilGone } = budgetActions(cluster);
      await createPods(["a", "b", "c"]);
      await guard("web", { minAvailable: 2 });
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
      await evict("a");
      await untilGone(pods, "a");
      await untilStatus("web", { expected: 2, desired: 2, healthy: 2, allowed: 0 });
      await expectTooMany(evict("b"));
      await createPod("d");
      await untilStatus("web", { expected: 3, desired: 2, healthy: 3, allowed: 1 });
      // In another second: whose the time of the condition is, controller's or server's, depends on whether it has changed.
      await cluster.pass(1_100);
      await evict("b");
      await untilGone(pods, "b");
      await untilStatus("web", { expected: 2, desired: 2, healthy: 2, allowed: 0 });
    },
  },
  {
    name: "an evicted pod that is held back is no longer healthy, nor noted as disrupted",
    async run(cluster) {
      const { createPods, guard, patch, evict, untilStatus, untilGone } = budgetActions(cluster);
      await createPods(["a", "b", "c"]);
      await createPods(["held"], { isHeld: true });
      await guard("web", { minAvailable: 1 });
      await untilStatus("web", { expected: 4, desired: 1, healthy: 4, allowed: 3 });
      await evict("held");
      await untilStatus("web", { expected: 4, desired: 1, healthy: 3, allowed: 2 });
      await patch(pods, "held", { metadata: { finalizers: null } });
      await untilGone(pods, "held");
      await untilStatus("web", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
    },
  },
  {
    name: "pods that are not ready may be evicted as the budget's policy says",
    async run(cluster) {
      const { createPods, guard, patch, evict, untilStatus, untilGone } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await createPods(["broken-1", "broken-2"], { isReady: false });
      await guard("web", { minAvailable: 3 });
      await untilStatus("web", { expected: 4, desired: 3, healthy: 2, allowed: 0 });
      await expectTooMany(evict("broken-1"));
      await patch(podDisruptionBudgets, "web", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
      await untilStatus("web", { expected: 4, desired: 3, healthy: 2, allowed: 0 });
      await evict("broken-1");
      await untilGone(pods, "broken-1");
      await expectTooMany(evict("a"));
      // Of an application that is well, the other policy lets them go, too.
      await patch(podDisruptionBudgets, "web", {
        spec: { unhealthyPodEvictionPolicy: "IfHealthyBudget", minAvailable: 2 },
      });
      await untilStatus("web", { expected: 3, desired: 2, healthy: 2, allowed: 0 });
      await evict("broken-2");
      await untilGone(pods, "broken-2");
      await untilStatus("web", { expected: 2, desired: 2, healthy: 2, allowed: 0 });
    },
  },
  {
    name: "several budgets over one pod are all computed, and its eviction is refused",
    async run(cluster) {
      const { createPods, guard, evict, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await guard("first", { minAvailable: 1 });
      await guard("second", { maxUnavailable: 1, selector: { matchLabels: { app: "other" } } });
      await untilStatus("first", { expected: 2, desired: 1, healthy: 2, allowed: 1 });
      await guard("third", { minAvailable: 0 });
      await untilStatus("third", { expected: 2, desired: 0, healthy: 2, allowed: 2 });
      await expect(evict("a")).rejects.toThrow("more than one PodDisruptionBudget");
      await untilStatus("first", { expected: 2, desired: 1, healthy: 2, allowed: 1 });
    },
    repeatedEvents: ["NoPods"],
  },
  {
    name: "a status that somebody has overwritten is mended, and conditions of others stay",
    async run(cluster) {
      const { createPods, guard, patchStatus, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await guard("web", { minAvailable: 1 });
      const right = { expected: 2, desired: 1, healthy: 2, allowed: 1 };
      await untilStatus("web", right);
      const { status } = await cluster.client
        .resource(podDisruptionBudgets)
        .in(cluster.namespace)
        .get("web", cluster.signal);
      const other: metav1.Condition = {
        type: "example.com/Checked",
        status: "True",
        reason: "Checked",
        message: "",
        lastTransitionTime: printTime(cluster.nowMs()),
      };
      await patchStatus(podDisruptionBudgets, "web", {
        disruptionsAllowed: 9,
        currentHealthy: 9,
        conditions: [...(status?.conditions ?? []), other],
      });
      await untilStatus("web", right);
      const mended = await cluster.client
        .resource(podDisruptionBudgets)
        .in(cluster.namespace)
        .get("web", cluster.signal);
      expect(mended.status?.conditions?.map(({ type }) => type)).toEqual(["DisruptionAllowed", "example.com/Checked"]);
    },
  },
  {
    name: "a pod that joins or leaves by its labels is counted or not",
    async run(cluster) {
      const { createPods, guard, patch, setReady: ready, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"]);
      await createPods(["c"], { labels: { app: "other" } });
      await guard("web", { minAvailable: 1 });
      await untilStatus("web", { expected: 2, desired: 1, healthy: 2, allowed: 1 });
      await patch(pods, "c", { metadata: { labels } });
      await untilStatus("web", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
      await patch(pods, "c", { metadata: { labels: { app: "other" } } });
      await ready("b", false);
      await untilStatus("web", { expected: 2, desired: 1, healthy: 1, allowed: 0 });
    },
  },
  {
    name: "the scale of a custom resource says how many pods there should be",
    needsRealServer: true,
    async run(cluster) {
      const {
        create,
        createPods,
        patch,
        guard,
        setReady: ready,
        remove,
        untilStatus,
        untilGone,
      } = budgetActions(cluster);
      const group = `${cluster.namespace}.example.com`;
      const widgets = defineResource({ group, version: "v1", kind: "Widget", plural: "widgets" });
      const properties = { spec: { type: "object", properties: { replicas: { type: "integer" } } } };
      await create(customResourceDefinitions, `widgets.${group}`, {
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "widgets", kind: "Widget" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", properties } },
              subresources: {
                scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
              },
            },
          ],
        },
      });
      const owner = await cluster.until("a widget", () => create(widgets, "web", { spec: { replicas: 4 } }));
      // Upstream looks for new kinds every thirty seconds, and does not look again for the owner of a pod before that.
      await cluster.pass(35_000);
      await createPods(["a", "b", "c"], { owner });
      await guard("web", { maxUnavailable: 2 });
      await untilStatus("web", { expected: 4, desired: 2, healthy: 3, allowed: 1 });
      await patch(widgets, "web", { spec: { replicas: 6 } });
      await ready("c", false);
      await untilStatus("web", { expected: 6, desired: 4, healthy: 2, allowed: 0 });
      for (const name of ["a", "b", "c"]) await patch(pods, name, { metadata: { ownerReferences: null } });
      await remove(podDisruptionBudgets, "web");
      await remove(customResourceDefinitions, `widgets.${group}`);
      await untilGone(customResourceDefinitions, `widgets.${group}`);
      await untilNotServed(cluster, group);
    },
    repeatedEvents: ["UnmanagedPods"],
  },
  {
    name: "a pod that was evicted and not deleted counts again after two minutes",
    needsVirtualTime: true,
    async run(cluster) {
      const { createPods, guard, patchStatus, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b", "c"]);
      await guard("web", { minAvailable: 1 });
      await untilStatus("web", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
      const nowMs = cluster.nowMs();
      await patchStatus(podDisruptionBudgets, "web", {
        disruptedPods: { a: printTime(nowMs), b: printTime(nowMs - 60_000), gone: printTime(nowMs) },
      });
      await untilStatus("web", { expected: 3, desired: 1, healthy: 1, allowed: 0, disrupted: ["a", "b"] });
      await cluster.pass(62_000);
      await untilStatus("web", { expected: 3, desired: 1, healthy: 2, allowed: 1, disrupted: ["a"] });
      await untilEvents(cluster, { NotDeleted: 1 });
      await cluster.pass(60_000);
      await untilStatus("web", { expected: 3, desired: 1, healthy: 3, allowed: 2 });
      await untilEvents(cluster, { NotDeleted: 2 });
    },
  },
  {
    name: "a pod that was to be disrupted and lives on loses its condition after two minutes",
    needsVirtualTime: true,
    async run(cluster) {
      const { createPods, patchStatus } = budgetActions(cluster);
      await createPods(["stale", "kubelet", "ended", "held"]);
      const all = cluster.client.resource(pods).in(cluster.namespace);
      const setTarget = (name: string, reason: string, more: Partial<corev1.PodStatus> = {}) =>
        patchStatus(pods, name, {
          conditions: [
            { type: "Ready", status: "True", lastTransitionTime: printTime(cluster.nowMs()) },
            { type: "DisruptionTarget", status: "True", reason, lastTransitionTime: printTime(cluster.nowMs()) },
          ],
          ...more,
        });
      await setTarget("stale", "PreemptionByScheduler");
      await setTarget("kubelet", "TerminationByKubelet");
      await setTarget("ended", "PreemptionByScheduler", { phase: "Failed" });
      const conditionOf = async (name: string) => {
        const { status } = await all.get(name, cluster.signal);
        return findCondition(status?.conditions, "DisruptionTarget");
      };
      await cluster.pass(100_000);
      expect((await conditionOf("stale"))?.status).toBe("True");
      const reset = await cluster.until("the condition is reset", async () => {
        const condition = await conditionOf("stale");
        return condition?.status === "False" && condition;
      });
      expect([reset.reason ?? "", reset.message ?? ""]).toEqual(["", ""]);
      await cluster.pass(300_000);
      expect((await conditionOf("kubelet"))?.status).toBe("True");
      expect((await conditionOf("ended"))?.status).toBe("True");
    },
  },
  {
    name: "a pod that several budgets select is told of by an event when it changes",
    needsVirtualTime: true,
    async run(cluster) {
      const { createPods, guard, setReady: ready, untilStatus } = budgetActions(cluster);
      await createPods(["a", "b"], { isReady: false });
      await guard("first", { minAvailable: 1 });
      await guard("second", { minAvailable: 2 });
      await untilStatus("first", { expected: 2, desired: 1, healthy: 0, allowed: 0 });
      await untilStatus("second", { expected: 2, desired: 2, healthy: 0, allowed: 0 });
      await ready("a");
      await untilStatus("first", { expected: 2, desired: 1, healthy: 1, allowed: 0 });
      await untilStatus("second", { expected: 2, desired: 2, healthy: 1, allowed: 0 });
      await untilEvents(cluster, { MultiplePodDisruptionBudgets: 1 });
    },
  },
];

async function expectTooMany(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt.catch((error: unknown) => isTooManyRequests(error))).resolves.toBe(true);
}

/** Waits for one event of this reason, however often it is repeated. */
async function untilEventOf(cluster: ScenarioCluster, reason: string): Promise<void> {
  if (cluster.isDisturbed) return;
  await cluster.until(`the event ${reason}`, async () =>
    (await listed(cluster, events)).some((event) => event.reason === reason),
  );
}
