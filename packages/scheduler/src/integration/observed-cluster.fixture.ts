// The snapshot and the listers of ours, from what a server has stored.
import type { Client } from "@kubeloop/core/client";
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  services,
  storageClasses,
  volumeAttachments,
} from "@kubeloop/core/resources";
import { listersOf } from "../cluster.fixture.ts";
import type { Listers } from "../framework/listers.ts";
import { Snapshot } from "../snapshot/snapshot.ts";
import type { GeneratedCase } from "./generated-case.fixture.ts";

export interface Observed {
  readonly snapshot: Snapshot;
  readonly listers: Listers;
}

export async function observe({ nodes: drawn }: GeneratedCase, client: Client, signal: AbortSignal): Promise<Observed> {
  const snapshot = new Snapshot();
  for (const { metadata } of drawn) snapshot.setNode(await client.resource(nodes).get(metadata.name ?? "", signal));
  for await (const pod of client.resource(pods).list({}, signal)) {
    if (pod.spec.nodeName !== undefined) snapshot.setPod(pod);
  }
  return { snapshot, listers: await observeListers(client, signal) };
}

export async function observeListers(client: Client, signal: AbortSignal): Promise<Listers> {
  const sets = await all(client.resource(replicaSets).list({}, signal));
  const facts = {
    namespaces: await all(client.resource(namespaces).list({}, signal)),
    services: await all(client.resource(services).list({}, signal)),
    budgets: await all(client.resource(podDisruptionBudgets).list({}, signal)),
    claims: await all(client.resource(persistentVolumeClaims).list({}, signal)),
    volumes: await all(client.resource(persistentVolumes).list({}, signal)),
    classes: await all(client.resource(storageClasses).list({}, signal)),
    csiNodes: await all(client.resource(csiNodes).list({}, signal)),
    csiDrivers: await all(client.resource(csiDrivers).list({}, signal)),
    capacities: await all(client.resource(csiStorageCapacities).list({}, signal)),
    attachments: await all(client.resource(volumeAttachments).list({}, signal)),
  };
  return {
    ...listersOf(facts),
    replicaSet: (namespace, name) =>
      sets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  };
}

async function all<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
}
