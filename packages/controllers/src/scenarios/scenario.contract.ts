// A scenario: what a user and a kubelet do to a cluster, step by step, and what must come of it. The same scenario runs on the embedded
// server in virtual time, undisturbed and with faults, and on a real kube-apiserver, under our controllers and under upstream's.
//
// So it says only what holds everywhere: it waits for facts instead of for time, names no resourceVersion, and expects an end state, not the
// way there. Those that need virtual time say so.
import type { corev1, KubernetesObject, Resource } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { events, pods } from "@kubeloop/core/resources";

export interface ScenarioCluster {
  /** The user's and the kubelet's: an admin. */
  readonly client: Client;
  /** Its own: no other scenario writes there. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Requests of the controllers fail, or they are killed. */
  readonly isDisturbed: boolean;
  /** Wall time as the cluster sees it. */
  nowMs(): number;
  /** Waits until `look` returns something, and returns that. Throws when the cluster's patience is over, with what was last seen. */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>;
  /** Lets time go by. */
  pass(ms: number): Promise<void>;
}

export interface Scenario {
  /** A sentence. */
  readonly name: string;
  readonly run: (cluster: ScenarioCluster) => Promise<void>;
  /** A wait of minutes, or the very moment at which something happens. */
  readonly needsVirtualTime?: boolean;
  /** Reasons of events that are repeated while something fails: how often depends on time. */
  readonly repeatedEvents?: readonly string[];
  /** The embedded server cannot do it yet. */
  readonly needsRealServer?: boolean;
}

/** The objects of a resource in the scenario's namespace, by name. */
export async function listed<T extends KubernetesObject>(
  { client, namespace, signal }: ScenarioCluster,
  resource: Resource<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const object of client.resource(resource).in(namespace).list({}, signal)) found.push(object as T);
  return found.sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}

/** As the kubelet does: the pod runs, and is ready or not. */
export async function setReady(cluster: ScenarioCluster, pod: corev1.Pod, isReady = true): Promise<void> {
  const { client, namespace, signal } = cluster;
  const lastTransitionTime = new Date(cluster.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
  const status = {
    phase: "Running",
    conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }],
  };
  await client
    .resource(pods)
    .in(namespace)
    .subresource("status")
    .patch(pod.metadata.name ?? "", { type: "merge", body: { status } }, signal);
}

/** As the kubelet does: the pod has ended. */
export async function setPhase(
  cluster: ScenarioCluster,
  pod: corev1.Pod,
  phase: "Succeeded" | "Failed",
): Promise<void> {
  const { client, namespace, signal } = cluster;
  await client
    .resource(pods)
    .in(namespace)
    .subresource("status")
    .patch(pod.metadata.name ?? "", { type: "merge", body: { status: { phase } } }, signal);
}

/**
 * Waits until so many events have been recorded, by reason. Events may be lost, so a cluster where requests fail or controllers are killed
 * does not promise them.
 */
export async function untilEvents(cluster: ScenarioCluster, expected: Readonly<Record<string, number>>): Promise<void> {
  if (cluster.isDisturbed) return;
  await cluster.until(`events ${JSON.stringify(expected)}`, async () => {
    const found: Record<string, number> = {};
    for (const { reason = "", count = 1 } of await listed(cluster, events))
      found[reason] = (found[reason] ?? 0) + count;
    if (Object.entries(expected).every(([reason, count]) => found[reason] === count)) return true;
    throw new Error(`there are ${JSON.stringify(found)}`);
  });
}

/** Waits until the server does not name the group any more: after its last definition was deleted, which takes a moment. */
export async function untilNotServed({ client, signal, until }: ScenarioCluster, group: string): Promise<void> {
  await until(`${group} to be served no longer`, async () => {
    const { resources } = await client.discovery.refresh(signal);
    return resources.every((resource) => resource.group !== group);
  });
}
