// Our controller manager against upstream's kube-controller-manager, one after the other on the same kube-apiserver with the same controllers
// and flags, three rounds: from its start to the lease and to the first work done, what it costs when there is nothing to do, and what each
// workload of manager-workloads.ts costs. Then ours once more, for the share of its processor time that decodes JSON.
//
// Rate limits are lifted for both (5,000/10,000), because at 20 requests a second only the limit would be measured. The API server has the
// same two cores, so wall times also hold its work; processor time, memory and writes are the manager's own.
//
// KUBELOOP_BENCH_WORKLOADS=services,dependents runs only these; KUBELOOP_BENCH_ROUNDS=1 is enough to look for a cause.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { controllerDescriptors } from "@kubeloop/controller-manager";
import { systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { leases } from "@kubeloop/core/resources";
import { findBinaries, pathOf, RealCluster } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import { ManagerProcess, type ProcessCost, writeManagerFiles } from "./manager-process.ts";
import { absentIsUndefined, createNamespace, isServed, neverAborted } from "./manager-stage.ts";
import { workloads } from "./manager-workloads.ts";

const roundCount = Number(process.env["KUBELOOP_BENCH_ROUNDS"] ?? 3);
const wanted = process.env["KUBELOOP_BENCH_WORKLOADS"]?.split(",");
const idleMs = 30_000;
const settleMs = 10_000;

/** By what is compared: its value and its unit. */
type Costs = Readonly<Record<string, readonly [value: number, unit: string]>>;

/** Above this a cost is a finding; the goal is 1. */
const limit = 1.3;

/** Those that are written; upstream's manager runs no others. */
const controllers = controllerDescriptors.filter(({ start }) => start !== undefined).map(({ name }) => name);

const ourProgram = fileURLToPath(
  new URL("../../../packages/controller-manager/dist/bundle/esm/cli.js", import.meta.url),
);

export async function measureManager(): Promise<readonly Measurement[]> {
  const binaries = await findBinaries(["kube-controller-manager"], {}, neverAborted);
  const upstream = pathOf(binaries, "kube-controller-manager");
  const rounds: { readonly ours: Costs; readonly theirs: Costs }[] = [];
  for (let round = 0; round < roundCount; round++) {
    const theirs = await measureOn([upstream]);
    const ours = await measureOn([process.execPath, ourProgram]);
    rounds.push({ ours, theirs });
    console.log(`round ${round + 1} of ${roundCount}`);
    for (const [what, [value, unit]] of Object.entries(ours))
      console.log(`  ${what}: ${value.toFixed(0)} of ${theirs[what]?.[0].toFixed(0)} ${unit}`);
  }
  console.log(`  decoding JSON: ${((await measureDecoding()) * 100).toFixed(1)} % of our processor time`);
  return Object.entries(rounds[0]?.ours ?? {}).map(([what, [, unit]]): Measurement => {
    const costIn = (costs: Costs) => costs[what]?.[0] ?? Number.NaN;
    const middle = (side: "ours" | "theirs") => median(rounds.map((round) => costIn(round[side]))).toFixed(0);
    return {
      what: `controller manager, ${what}, against kube-controller-manager`,
      measured: median(rounds.map(({ ours, theirs }) => ratio(costIn(ours), costIn(theirs)))),
      limit,
      bound: "at most",
      unit: " ×",
      detail: `${middle("ours")} of ${middle("theirs")} ${unit}, median of ${roundCount}; the goal is 1`,
    };
  });
}

const ratio = (ours: number, theirs: number) => (ours === theirs ? 1 : ours / theirs);

/** Of all workloads once more. */
async function measureDecoding(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-bench-"));
  const file = join(folder, "share");
  try {
    const meter = new URL("./decoding-meter.js", import.meta.url).href;
    const env = { KUBELOOP_DECODING_SHARE: file };
    await measureOn([process.execPath, "--import", meter, ourProgram], { env, isMetered: true });
    return Number(readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface MeasureOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Only its workloads count, and it ends by itself. */
  readonly isMetered?: boolean;
}

/** On a cluster of its own: what one manager leaves behind in the API server's memory is not the other's burden. */
async function measureOn(
  command: readonly string[],
  { env = {}, isMetered = false }: MeasureOptions = {},
): Promise<Costs> {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-bench-"));
  const cluster = await RealCluster.start({}, neverAborted);
  try {
    const kubeconfig = cluster.adminKubeconfigPath;
    await using client = openClient(await loadClusterConfig({ path: kubeconfig }, neverAborted));
    await createNamespace(client, "waits");
    const files = writeManagerFiles(folder, cluster.caPem);
    await using manager = await ManagerProcess.start(command, { kubeconfig, controllers, env, ...files });
    const costs: Record<string, readonly [value: number, unit: string]> = {
      "from start to the lease": [await manager.since(() => hasLeader(client)), "ms"],
      "from start to the first namespace served": [await manager.since(() => isServed(client, "waits")), "ms"],
    };
    if (!isMetered) {
      await systemClock.sleep(settleMs, neverAborted);
      const idle = await manager.during(() => systemClock.sleep(idleMs, neverAborted));
      costs[`processor time in ${idleMs / 1000} idle seconds`] = [idle.cpuMs, "ms"];
      costs["resident memory when idle"] = [idle.rssMb, "MB"];
    }
    for (const { name, run } of workloads) {
      if (wanted !== undefined && !wanted.includes(name)) continue;
      for (const [what, cost] of Object.entries(await run({ client, manager })))
        Object.assign(costs, costsOf(what, cost));
    }
    if (isMetered) await manager.stop();
    return costs;
  } finally {
    await cluster[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

function costsOf(what: string, { wallMs, cpuMs, peakRssMb, writes }: ProcessCost): Costs {
  return {
    [`${what}, wall time`]: [wallMs, "ms"],
    [`${what}, processor time`]: [cpuMs, "ms"],
    [`${what}, peak memory`]: [peakRssMb, "MB"],
    [`${what}, writes`]: [writes, "requests"],
  };
}

async function hasLeader(client: Client): Promise<boolean> {
  const lease = await absentIsUndefined(
    client.resource(leases).in("kube-system").get("kube-controller-manager", neverAborted),
  );
  return (lease?.spec?.holderIdentity ?? "") !== "";
}
