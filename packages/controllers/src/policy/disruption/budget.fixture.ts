// Budgets, pods and their controllers, for the tests of the disruption controller.
import { type corev1, defineResource, type KubernetesObject, type policyv1, type Resource } from "@kubeloop/core/api";
import type { Served } from "@kubeloop/core/contract";
import {
  configMaps,
  deployments,
  jobs,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kubeloop/core/resources";
import { newObject, newPod, ownedBy, plainSnapshot, stored, type World } from "@kubeloop/core/testing";

export const nowMs = Date.parse("2024-05-01T12:00:00Z");
export const secondsAgo = (seconds: number) => new Date(nowMs - seconds * 1000).toISOString().replace(".000Z", "Z");

export const widgets: Resource = {
  ...defineResource({ group: "example.com", version: "v1", kind: "Widget", plural: "widgets" }),
  subresources: [
    { name: "scale", kind: "Scale", group: "autoscaling", version: "v1" },
  ] as unknown as Resource["subresources"],
};

export const newServed = (...resources: readonly Resource[]): Served => ({
  groups: [
    { name: "", preferredVersion: "v1" },
    { name: "apps", preferredVersion: "v1" },
    { name: "example.com", preferredVersion: "v1" },
  ],
  resources,
  failures: new Map(),
});
export const served = newServed(
  pods,
  podDisruptionBudgets,
  replicaSets,
  replicationControllers,
  deployments,
  statefulSets,
  configMaps,
  jobs,
  widgets,
);

const labels = { app: "web" };

interface BudgetFacts {
  readonly name?: string;
  readonly status?: Partial<policyv1.PodDisruptionBudgetStatus>;
}

export function newBudget(
  spec: policyv1.PodDisruptionBudgetSpec,
  { name = "guard", status }: BudgetFacts = {},
): policyv1.PodDisruptionBudget {
  return stored<policyv1.PodDisruptionBudget>({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "shop", generation: 3 },
    spec: { selector: { matchLabels: labels }, ...spec },
    ...(status === undefined
      ? {}
      : { status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, ...status } }),
  });
}

interface PodFacts {
  readonly owner?: KubernetesObject;
  readonly isReady?: boolean;
  readonly metadata?: Partial<corev1.Pod["metadata"]>;
  readonly status?: Partial<corev1.PodStatus>;
}

export function podOf(name: string, { owner, isReady = true, metadata = {}, status = {} }: PodFacts = {}): corev1.Pod {
  const pod = newPod(`shop/${name}`, {
    metadata: { labels, ...metadata },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
      ...status,
    } as never,
  });
  return stored(owner === undefined ? pod : ownedBy(owner, pod));
}

export const ownerOf = (
  resource: Resource,
  name: string,
  replicas: number,
  owner?: KubernetesObject,
): KubernetesObject => {
  const object = newObject(resource, `shop/${name}`, { spec: { replicas } } as never);
  return stored(owner === undefined ? object : ownedBy(owner, object));
};

export const snapshotOf = (...world: World) => plainSnapshot(world, { served });
