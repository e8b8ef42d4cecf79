// Our controller manager against upstream's kube-controller-manager, one after the other on the same kube-apiserver with the same controllers
// and flags, three rounds: from its start to the lease and to the first work done, what it costs when there is nothing to do, deleting a
// namespace of 1,000 objects and collecting 10,000 dependents of a deleted owner.
//
// Rate limits are lifted for both (5,000/10,000), because at 20 requests a second only the limit would be measured. The API server has the
// same two cores, so wall times also hold its work; processor time and memory are the manager's own.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { controllerDescriptors } from "@kubeloop/controller-manager";
import { type corev1, isNotFound, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import { systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { configMaps, leases, namespaces, secrets, serviceAccounts } from "@kubeloop/core/resources";
import { findBinaries, pathOf, RealCluster } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import { ManagerProcess, type ProcessCost, writeManagerFiles } from "./manager-process.ts";

const roundCount = 3;
const idleMs = 30_000;
const settleMs = 10_000;
const dependentCount = 10_000;
const namespaceContent = { configMaps: 500, secrets: 300, serviceAccounts: 200 };

interface ManagerCost {
  readonly leaseMs: number;
  readonly workingMs: number;
  readonly idleCpuMs: number;
  readonly idleRssMb: number;
  readonly namespaceMs: number;
  readonly namespaceCpuMs: number;
  readonly orphansMs: number;
  readonly orphansCpuMs: number;
  readonly peakRssMb: number;
}

/** What is compared, and in which unit. */
const compared: Readonly<Record<keyof ManagerCost, readonly [what: string, unit: string]>> = {
  leaseMs: ["from start to the lease", "ms"],
  workingMs: ["from start to the first namespace served", "ms"],
  idleCpuMs: [`processor time in ${idleMs / 1000} idle seconds`, "ms"],
  idleRssMb: ["resident memory when idle", "MB"],
  namespaceMs: ["deleting a namespace of 1,000 objects, wall time", "ms"],
  namespaceCpuMs: ["deleting a namespace of 1,000 objects, processor time", "ms"],
  orphansMs: ["collecting 10,000 dependents, wall time", "ms"],
  orphansCpuMs: ["collecting 10,000 dependents, processor time", "ms"],
  peakRssMb: ["resident memory at its peak", "MB"],
};

/** Above this a cost is a finding; the goal is 1. */
const limit = 1.3;

/** Those that are written; upstream's manager runs no others. */
const controllers = controllerDescriptors.filter(({ start }) => start !== undefined).map(({ name }) => name);

const neverAborted = new AbortController().signal;
const ourProgram = fileURLToPath(
  new URL("../../../packages/controller-manager/dist/bundle/esm/cli.js", import.meta.url),
);

export async function measureManager(): Promise<readonly Measurement[]> {
  const binaries = await findBinaries(["kube-controller-manager"], {}, neverAborted);
  const upstream = pathOf(binaries, "kube-controller-manager");
  const rounds: { readonly ours: ManagerCost; readonly theirs: ManagerCost }[] = [];
  for (let round = 0; round < roundCount; round++) {
    const theirs = await measureOn([upstream]);
    const ours = await measureOn([process.execPath, ourProgram]);
    rounds.push({ ours, theirs });
    console.log(`round ${round + 1}: ${JSON.stringify({ ours: rounded(ours), theirs: rounded(theirs) })}`);
  }
  return (Object.keys(compared) as (keyof ManagerCost)[]).map((cost): Measurement => {
    const [what, unit] = compared[cost];
    const middle = (side: "ours" | "theirs") => median(rounds.map((round) => round[side][cost])).toFixed(0);
    return {
      what: `controller manager, ${what}, against kube-controller-manager`,
      measured: median(rounds.map(({ ours, theirs }) => ours[cost] / theirs[cost])),
      limit,
      bound: "at most",
      unit: " ×",
      detail: `${middle("ours")} of ${middle("theirs")} ${unit}, median of ${roundCount}; the goal is 1`,
    };
  });
}

/** On a cluster of its own: what one manager leaves behind in the API server's memory is not the other's burden. */
async function measureOn(command: readonly string[]): Promise<ManagerCost> {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-bench-"));
  const cluster = await RealCluster.start({}, neverAborted);
  try {
    const kubeconfig = cluster.adminKubeconfigPath;
    await using client = openClient(await loadClusterConfig({ path: kubeconfig }, neverAborted));
    await createNamespace(client, "waits");
    const files = writeManagerFiles(folder, cluster.caPem);
    await using manager = await ManagerProcess.start(command, { kubeconfig, controllers, ...files });
    const leaseMs = await manager.since(() => hasLeader(client));
    const workingMs = await manager.since(() => isServed(client, "waits"));
    await systemClock.sleep(settleMs, neverAborted);
    const idle = await manager.during(() => systemClock.sleep(idleMs, neverAborted));
    const deletion = await deleteFullNamespace(client, manager);
    const collection = await collectDependents(client, manager);
    return {
      leaseMs,
      workingMs,
      idleCpuMs: idle.cpuMs,
      idleRssMb: idle.rssMb,
      namespaceMs: deletion.wallMs,
      namespaceCpuMs: deletion.cpuMs,
      orphansMs: collection.wallMs,
      orphansCpuMs: collection.cpuMs,
      peakRssMb: collection.peakRssMb,
    };
  } finally {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createNamespace(client: Client, name: string): Promise<void> {
  const namespace: corev1.Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await client.resource(namespaces).create(namespace, neverAborted);
}

async function hasLeader(client: Client): Promise<boolean> {
  const lease = await absentIsUndefined(
    client.resource(leases).in("kube-system").get("kube-controller-manager", neverAborted),
  );
  return (lease?.spec?.holderIdentity ?? "") !== "";
}

/** Its account, and the certificate that its pods would trust the server by: two controllers. */
async function isServed(client: Client, namespace: string): Promise<boolean> {
  const account = client.resource(serviceAccounts).in(namespace).get("default", neverAborted);
  const map = client.resource(configMaps).in(namespace).get("kube-root-ca.crt", neverAborted);
  const found = await Promise.all([absentIsUndefined(account), absentIsUndefined(map)]);
  return found.every((object) => object !== undefined);
}

async function deleteFullNamespace(client: Client, manager: ManagerProcess): Promise<ProcessCost> {
  const namespace = "full";
  await createNamespace(client, namespace);
  await manager.since(() => isServed(client, namespace));
  const kinds = { configMaps, secrets, serviceAccounts } as const;
  for (const [name, count] of Object.entries(namespaceContent)) {
    const resource = kinds[name as keyof typeof kinds] as Resource;
    await createMany(client, resource, { namespace, count });
  }
  return await manager.during(async () => {
    await client.resource(namespaces).delete(namespace, {}, neverAborted);
    const isGone = async () =>
      (await absentIsUndefined(client.resource(namespaces).get(namespace, neverAborted))) === undefined;
    await manager.since(isGone);
  });
}

async function collectDependents(client: Client, manager: ManagerProcess): Promise<ProcessCost> {
  const namespace = "orphans";
  await createNamespace(client, namespace);
  await manager.since(() => isServed(client, namespace));
  const inNamespace = client.resource(configMaps).in(namespace);
  const owner = await inNamespace.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } },
    neverAborted,
  );
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" };
  const metadata = { labels: { part: "dependent" }, ownerReferences: [reference] };
  await createMany(client, configMaps, { namespace, count: dependentCount, metadata });
  const areGone = async () => {
    const options = { labelSelector: "part=dependent", limit: 1 };
    for await (const _ of inNamespace.list(options, neverAborted)) return false;
    return true;
  };
  return await manager.during(async () => {
    await inNamespace.delete("owner", { propagationPolicy: "Background" }, neverAborted);
    await manager.since(areGone);
  });
}

interface Content {
  readonly namespace: string;
  readonly count: number;
  readonly metadata?: Partial<KubernetesObject["metadata"]>;
}

/** Twenty at a time. */
async function createMany(client: Client, resource: Resource, { namespace, count, metadata }: Content): Promise<void> {
  const { apiVersion, kind } = resource;
  const target = client.resource(resource).in(namespace);
  let next = 0;
  const createNext = async () => {
    while (next < count) {
      const name = `object-${next++}-${randomUUID().slice(0, 8)}`;
      await target.create({ apiVersion, kind, metadata: { ...metadata, name } }, neverAborted);
    }
  };
  await Promise.all(Array.from({ length: 20 }, createNext));
}

async function absentIsUndefined<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function rounded(cost: ManagerCost): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(cost).map(([name, value]) => [name, Math.round(value)]));
}
