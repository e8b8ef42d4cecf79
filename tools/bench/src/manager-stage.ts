// What every workload of the manager's bench stands on: a client of the cluster, and the manager to measure.
import { isNotFound, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import type { Client } from "@kubeloop/core/client";
import { configMaps, namespaces, serviceAccounts } from "@kubeloop/core/resources";
import type { ManagerProcess, ProcessCost } from "./manager-process.ts";

export const neverAborted: AbortSignal = new AbortController().signal;

export interface Stage {
  readonly client: Client;
  readonly manager: ManagerProcess;
}

/** Something that a manager has to work on. Returns what each part of it cost. */
export interface Workload {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<Readonly<Record<string, ProcessCost>>>;
}

/** The namespace is there, and so is what the manager makes in each. */
export async function openNamespace({ client, manager }: Stage, name: string): Promise<void> {
  await createNamespace(client, name);
  await manager.since(() => isServed(client, name));
}

export async function createNamespace(client: Client, name: string): Promise<void> {
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, neverAborted);
}

/** Its account, and the certificate that its pods would trust the server by: two controllers. */
export async function isServed(client: Client, namespace: string): Promise<boolean> {
  const account = client.resource(serviceAccounts).in(namespace).get("default", neverAborted);
  const map = client.resource(configMaps).in(namespace).get("kube-root-ca.crt", neverAborted);
  const found = await Promise.all([absentIsUndefined(account), absentIsUndefined(map)]);
  return found.every((object) => object !== undefined);
}

export async function absentIsUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export async function createMany<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  namespace: string,
  objects: readonly T[],
): Promise<void> {
  const target = client.resource(resource).in(namespace);
  await forEachOf(objects, (object) => target.create(object as never, neverAborted));
}

/** Twenty at a time. */
export async function forEachOf<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const actOnNext = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await act(item);
  };
  await Promise.all(Array.from({ length: 20 }, actOnNext));
}

export async function listOf<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  namespace: string,
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const object of client.resource(resource).in(namespace).list({}, neverAborted)) found.push(object as T);
  return found;
}
