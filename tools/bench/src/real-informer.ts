// The informer bench on a real kube-apiserver: 20,000 pods and 100,000 updates of them, followed by our informer with handlers that read metadata, status
// or all, by the raw JSON floor, and by an informer of client-go. Each is a process of its own. They fill their caches one after the other, while
// nothing else runs. The updates come to all of them at once, because the server is what takes the time; so what is compared is processor time.
//
// Not part of `npm run bench` yet: the floor's watch ends before the last update (exit code 13), so no run has come to its end.
//
// Without the programs of a real cluster nothing is measured here, and without Go nothing is compared with client-go.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { childSignal, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { namespaces } from "@kubeloop/core/resources";
import { BinariesMissingError, findBinaries, type Program, RealCluster } from "@kubeloop/real-cluster";
import type { Measurement } from "./budget.ts";
import { siblingOf } from "./raw-floor.ts";
import { type RealCosts, type RealSubject, realBudgets } from "./real-informer-budgets.ts";
import { openRealPods } from "./real-pods.ts";

const podCount = 20_000;
const updateCount = 100_000;
const patienceMs = 60_000;
const neverAborted = new AbortController().signal;
// Pods want a service account, which nobody makes here; and nothing but the machine may slow the writers down.
const flags = [
  "--disable-admission-plugins=ServiceAccount",
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=0",
  "--max-mutating-requests-inflight=0",
];

export interface SyncCost {
  readonly syncCpuMs: number;
  /** Go's scheduler has no event loop to stand still. */
  readonly stallMs?: number;
  readonly peakMb: number;
  readonly heapMb: number;
  readonly pods: number;
}

export interface WatchCost {
  readonly watchCpuMs: number;
  readonly events: number;
}

export async function measureRealInformer(): Promise<readonly Measurement[]> {
  const cluster = await find(["etcd", "kube-apiserver", "kubectl"]);
  if (cluster === undefined) return [];
  const goClients = (await find(["go-clients"]))?.get("go-clients");
  return realBudgets(await measure(goClients));
}

/** Returns undefined, and says so, where they are missing and cannot be built. */
async function find(programs: readonly Program[]): Promise<ReadonlyMap<Program, string> | undefined> {
  const say = (sentence: string) => console.log(`informer: ${sentence}`);
  try {
    return await findBinaries(programs, { mayBuild: true }, neverAborted);
  } catch (error) {
    if (!(error instanceof BinariesMissingError) || error.hasGo) throw error;
    say(`not measured: ${error.message}`);
    return undefined;
  }
}

async function measure(goClients: string | undefined): Promise<RealCosts> {
  await using cluster = await RealCluster.start({ extraFlags: { "kube-apiserver": flags } }, neverAborted);
  const kubeconfig = cluster.adminKubeconfigPath;
  const access = { server: cluster.url, caPem: cluster.caPem, token: cluster.adminToken };
  await using pods = await openRealPods(podCount, access);
  await using client = openClient(await loadClusterConfig({ path: kubeconfig }, neverAborted));
  for (const name of pods.namespaces) {
    await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, neverAborted);
  }
  await pods.create();
  await using subjects = new Subjects();
  for (const who of ["floor", "metadata", "status", "all"] as const) {
    const program = siblingOf("real-informer-run.js");
    await subjects.sync(who, process.execPath, [...process.execArgv, program, who, kubeconfig, String(updateCount)]);
  }
  if (goClients !== undefined) {
    const args = ["informer-cost", "--kubeconfig", kubeconfig, "--updates", String(updateCount)];
    await subjects.sync("client-go", goClients, args);
  }
  await pods.update(updateCount);
  return await subjects.watched();
}

/** The processes that are measured. They end when this is disposed of. */
class Subjects implements AsyncDisposable {
  readonly #running: {
    readonly who: RealSubject;
    readonly child: ChildProcess;
    readonly sync: SyncCost;
    readonly watch: Promise<WatchCost>;
  }[] = [];

  /** Starts one and waits until its cache is filled. */
  async sync(who: RealSubject, program: string, args: readonly string[]): Promise<void> {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${who} ended before it said what it took`);
      return JSON.parse(value) as unknown;
    };
    const sync = (await next()) as SyncCost;
    if (sync.pods !== podCount) throw new Error(`${who} has cached ${sync.pods} of ${podCount} pods`);
    const watch = next() as Promise<WatchCost>;
    // It is awaited later.
    watch.catch(() => {});
    this.#running.push({ who, child, sync, watch });
  }

  /** What all of them took. All updates have been written. */
  async watched(): Promise<RealCosts> {
    const costs = Promise.all(
      this.#running.map(async ({ who, sync, watch }) => [who, { ...sync, ...(await watch) }] as const),
    );
    const waiting = childSignal(neverAborted);
    const late = systemClock.sleep(patienceMs, waiting.signal).then(() => {
      throw new Error(`not all subjects have seen ${updateCount} updates, ${patienceMs / 1000} s after the last one`);
    });
    try {
      return new Map(await Promise.race([costs, late]));
    } finally {
      late.catch(() => {});
      waiting.abort();
    }
  }

  #kill(): void {
    for (const { child } of this.#running) child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#kill();
    await Promise.all(
      this.#running.map(async ({ child }) => {
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      }),
    );
  }
}
