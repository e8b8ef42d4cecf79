// `kubeloop up` against a real control plane (etcd, kube-apiserver, upstream's controller manager and scheduler) in one run: from nothing to a Deployment
// whose three pods are available, and what each costs with many pods running and nothing to do. Upstream has no nodes without containers, so both
// sides have our hollow nodes: in a process of their own beside the real server, whose cost is not counted.
//
// KUBELOOP_BENCH_ROUNDS starts so many times (5); KUBELOOP_BENCH_PODS is how many pods run (10,000). `kubectl get pods -A` is kubectl 1.36's.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { deployments } from "@kubeloop/core/resources";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import { findBinaries, pathOf, RealCluster } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import { forEachOf, neverAborted } from "./manager-stage.ts";
import { cpuMsOf, rssMbOf } from "./process-cost.ts";
import { UpProcess } from "./soak/up-process.ts";

const roundCount = Number(process.env["KUBELOOP_BENCH_ROUNDS"] ?? 5);
const podCount = Number(process.env["KUBELOOP_BENCH_PODS"] ?? 10_000);
const podsEach = 100;
/** A node has room for 110 pods. */
const nodeCount = Math.max(3, Math.ceil(podCount / 100));
const idleMs = 30_000;
/** Until the last Events are written, too. */
const settleMs = 60_000;
const lookEveryMs = 10;
const patienceMs = 900_000;
const run = promisify(execFile);

/** One side of the comparison: a control plane that is ready for pods. */
interface Plane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Its processes, without nodes that are others'. */
  readonly pids: readonly number[];
  /** How long its event loop was held up, where it has one. */
  loopDelayMs(): Promise<number | undefined>;
}

export async function measureUp(): Promise<readonly Measurement[]> {
  const sides = { ours: startOurs, theirs: startTheirs };
  const starts: Record<keyof typeof sides, Start[]> = { ours: [], theirs: [] };
  for (let round = 0; round < roundCount; round++) {
    for (const side of ["theirs", "ours"] as const) starts[side].push(await measureStart(sides[side]));
    console.log(`  start ${round + 1}: ${JSON.stringify({ ours: starts.ours.at(-1), theirs: starts.theirs.at(-1) })}`);
  }
  const theirs = await measureLoad(sides.theirs);
  const ours = await measureLoad(sides.ours);
  console.log(`  ${podCount} pods: ${JSON.stringify({ ours, theirs })}`);
  const middle = (side: keyof typeof sides, what: keyof Start) => median(starts[side].map((start) => start[what]));
  const compare = (what: string, mine: number, other: number, unit: string): Measurement => ({
    what: `kubeloop up, ${what}, against kube-apiserver, etcd, upstream's manager and scheduler`,
    measured: mine / other,
    limit: 1,
    bound: "at most",
    unit: " ×",
    detail: `${mine.toFixed(0)} of ${other.toFixed(0)} ${unit}`,
  });
  const limited = (what: string, measured: number, limit: number): Measurement => ({
    what: `kubeloop up, ${what}`,
    measured,
    limit,
    bound: "at most",
    unit: " ms",
    detail: `median of ${roundCount}`,
  });
  return [
    limited("ready line after its start", middle("ours", "readyMs"), 1500),
    limited("three pods available after its start", middle("ours", "availableMs"), 3000),
    compare(
      "three pods available after the start",
      middle("ours", "availableMs"),
      middle("theirs", "availableMs"),
      "ms",
    ),
    compare("resident memory then", middle("ours", "rssMb"), middle("theirs", "rssMb"), "MB"),
    compare(`until ${podCount} pods run`, ours.runningMs, theirs.runningMs, "ms"),
    compare(
      `processor time in ${idleMs / 1000} idle seconds with ${podCount} pods`,
      ours.idleCpuMs,
      theirs.idleCpuMs,
      "ms",
    ),
    compare(`resident memory with ${podCount} pods`, ours.rssMb, theirs.rssMb, "MB"),
    compare(`kubectl get pods -A of ${podCount}`, ours.listMs, theirs.listMs, "ms"),
    limited(`event-loop delay at the 99th percentile with ${podCount} pods`, ours.loopDelayMs ?? Number.NaN, 25),
  ];
}

interface Start {
  readonly readyMs: number;
  readonly availableMs: number;
  readonly rssMb: number;
}

async function measureStart(start: (nodes: number) => Promise<Plane>): Promise<Start> {
  const beganMs = systemClock.monotonic();
  await using plane = await start(3);
  const readyMs = systemClock.monotonic() - beganMs;
  await using client = openClient(await loadClusterConfig({ path: plane.kubeconfig }, neverAborted));
  await create(client, deploymentOf("web", 3));
  await untilAvailable(client, "web", 3);
  return { readyMs, availableMs: systemClock.monotonic() - beganMs, rssMb: rssMbOf(plane.pids) };
}

interface Load {
  readonly runningMs: number;
  readonly idleCpuMs: number;
  readonly rssMb: number;
  readonly listMs: number;
  readonly loopDelayMs: number | undefined;
}

async function measureLoad(start: (nodes: number) => Promise<Plane>): Promise<Load> {
  await using plane = await start(nodeCount);
  await using client = openClient(await loadClusterConfig({ path: plane.kubeconfig }, neverAborted));
  const names = Array.from({ length: Math.ceil(podCount / podsEach) }, (_, index) => `web-${index}`);
  const beganMs = systemClock.monotonic();
  await forEachOf(names, (name) => create(client, deploymentOf(name, podsEach)));
  for (const name of names) await untilAvailable(client, name, podsEach);
  const runningMs = systemClock.monotonic() - beganMs;
  await systemClock.sleep(settleMs, neverAborted);
  await plane.loopDelayMs();
  const cpuBefore = cpuMsOf(plane.pids);
  await systemClock.sleep(idleMs, neverAborted);
  const idleCpuMs = cpuMsOf(plane.pids) - cpuBefore;
  const rssMb = rssMbOf(plane.pids);
  const kubectl = pathOf(await findBinaries(["kubectl"], {}, neverAborted), "kubectl");
  const env = { ...process.env, KUBECONFIG: plane.kubeconfig };
  const took: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const listedMs = systemClock.monotonic();
    await run(kubectl, ["get", "pods", "-A"], { env, maxBuffer: 2 ** 28 });
    took.push(systemClock.monotonic() - listedMs);
  }
  return { runningMs, idleCpuMs, rssMb, listMs: median(took), loopDelayMs: await plane.loopDelayMs() };
}

async function startOurs(nodes: number): Promise<Plane> {
  const up = await UpProcess.start([`--nodes=${nodes}`]);
  return {
    kubeconfig: up.kubeconfig,
    pids: [up.pid],
    loopDelayMs: async () => (await up.probe()).delayP99Ms,
    [Symbol.asyncDispose]: () => up[Symbol.asyncDispose](),
  };
}

async function startTheirs(nodes: number): Promise<Plane> {
  const extraFlags = {
    "kube-controller-manager": [
      "--allocate-node-cidrs=true",
      "--cluster-cidr=10.128.0.0/9",
      "--kube-api-qps=5000",
      "--kube-api-burst=10000",
    ],
    "kube-scheduler": ["--kube-api-qps=5000", "--kube-api-burst=10000"],
  };
  const cluster = await RealCluster.start({ controllerManager: true, scheduler: true, extraFlags }, neverAborted);
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig("admin", { token: cluster.adminToken }), { mode: 0o600 });
  const joined = ["--without-manager", "--without-scheduler", `--nodes=${nodes}`, `--kubeconfig=${kubeconfig}`];
  const hollow = await UpProcess.start(joined);
  return {
    kubeconfig,
    pids: cluster.pids,
    loopDelayMs: async () => undefined,
    async [Symbol.asyncDispose]() {
      await hollow[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const create = (client: Client, deployment: Deployment) =>
  client.resource(deployments).in("default").create(deployment, neverAborted);

async function untilAvailable(client: Client, name: string, count: number): Promise<void> {
  const lastMs = systemClock.monotonic() + patienceMs;
  for (;;) {
    const { status } = await client.resource(deployments).in("default").get(name, neverAborted);
    if (status?.availableReplicas === count) return;
    if (systemClock.monotonic() > lastMs) throw new Error(`${name} has no ${count} pods after ${patienceMs / 1000} s`);
    await systemClock.sleep(lookEveryMs, neverAborted);
  }
}

function deploymentOf(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}
