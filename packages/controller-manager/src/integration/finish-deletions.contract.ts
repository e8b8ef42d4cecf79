// Ends the deletions that a scenario has left to a finalizer, because every manager that starts works on them again, although nothing comes of it.
// Upstream's deletes all collections of such a namespace and is refused the root certificate in it; a pod without a node is deleted by every sweep.
import { isNotFound } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { namespaces, pods } from "@kubeloop/core/resources";

const withoutFinalizers = { type: "merge", body: { metadata: { finalizers: null } } } as const;

/** Returns when every terminating pod and namespace has been let go of. */
export async function finishDeletions(client: Client, signal: AbortSignal): Promise<void> {
  for await (const { metadata } of client.resource(pods).list({}, signal)) {
    if (metadata.deletionTimestamp === undefined) continue;
    const { namespace = "", name = "" } = metadata;
    const its = client.resource(pods).in(namespace);
    await its.patch(name, withoutFinalizers, signal).catch(ignoreNotFound);
    await its.delete(name, { gracePeriodSeconds: 0 }, signal).catch(ignoreNotFound);
  }
  for await (const namespace of client.resource(namespaces).list({}, signal)) {
    if (namespace.metadata.deletionTimestamp === undefined) continue;
    const { name = "" } = namespace.metadata;
    const all = client.resource(namespaces);
    await all.patch(name, withoutFinalizers, signal).catch(ignoreNotFound);
    const body = { ...namespace, spec: { finalizers: [] }, metadata: { name } };
    await all.subresource("finalize").update(name, body, signal).catch(ignoreNotFound);
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
