// Kubelets for the nodes of a real cluster that has none: without a sign of life a node is unknown after a minute, and is written then.
import { isAlreadyExists, isNotFound } from "@kubeloop/core/api";
import { systemClock, TaskScope } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import { leases, nodes, pods } from "@kubeloop/core/resources";

const beatEveryMs = 5000;
const namespace = "kube-node-lease";

/** Renews the lease of every node that there is, until disposed of. */
export function startKubelets(client: Client, signal: AbortSignal): AsyncDisposable {
  const scope = new TaskScope(signal);
  void scope.spawn(async (each) => {
    while (!each.aborted) {
      for await (const { metadata } of client.resource(nodes).list({}, each))
        await renew(client, metadata.name ?? "", each);
      await systemClock.sleep(beatEveryMs, each);
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      scope.abort(new Error("the kubelets end"));
      await scope.join().catch(() => {});
    },
  };
}

async function renew(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const all = client.resource(leases).in(namespace);
  const renewTime = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  try {
    await all.patch(name, { type: "merge", body: { spec } }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name }, spec } as const;
    await all.create(lease, signal).catch((other: unknown) => {
      if (!isAlreadyExists(other)) throw other;
    });
  }
}

/** Deletes all nodes, and the pods on them, which would be deleted a minute later. */
export async function removeNodes(client: Client, signal: AbortSignal): Promise<void> {
  for await (const { metadata, spec } of client.resource(pods).list({}, signal)) {
    if (!spec?.nodeName) continue;
    const its = client.resource(pods).in(metadata.namespace ?? "");
    const name = metadata.name ?? "";
    await its.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal).catch(ignoreNotFound);
    await its.delete(name, { gracePeriodSeconds: 0 }, signal).catch(ignoreNotFound);
  }
  for await (const { metadata } of client.resource(nodes).list({}, signal)) {
    await client
      .resource(nodes)
      .delete(metadata.name ?? "", {}, signal)
      .catch(ignoreNotFound);
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
