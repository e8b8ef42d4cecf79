// Namespaces that a scenario makes beside its own, for controllers whose keys are namespaces. They are named after the scenario's namespace,
// so that scenarios do not meet, and deleted when the scenario leaves the block.
import { isNotFound } from "@kubeloop/core/api";
import { namespaces } from "@kubeloop/core/resources";
import type { ScenarioCluster } from "./scenario.contract.ts";

export interface ScenarioNamespace extends AsyncDisposable {
  readonly name: string;
  /** Returns when it is Terminating; one without finalizers may be gone by then. */
  beginDeletion(): Promise<void>;
}

export async function newNamespaceIn(
  cluster: ScenarioCluster,
  suffix: string,
  finalizers: readonly string[] = [],
): Promise<ScenarioNamespace> {
  const { client, namespace, signal } = cluster;
  const all = client.resource(namespaces);
  const name = `${namespace}-${suffix}`;
  await all.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, finalizers: [...finalizers] } }, signal);
  const deleteIt = () => all.delete(name, {}, signal).catch(ignoreNotFound);
  return {
    name,
    async beginDeletion() {
      await deleteIt();
      await cluster.until(`${name} is being deleted`, async () => {
        const found = await all.get(name, signal).catch(ignoreNotFound);
        return found === undefined || found.status?.phase === "Terminating";
      });
    },
    async [Symbol.asyncDispose]() {
      await all.patch(name, { type: "merge", body: { metadata: { finalizers: null } } }, signal).catch(ignoreNotFound);
      await deleteIt();
    },
  };
}

function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
