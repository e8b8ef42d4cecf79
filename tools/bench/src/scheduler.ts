// Our scheduler against upstream's kube-scheduler: 10,000 pods that wait for 1,000 empty nodes, and how many of them are bound in a second. The pods
// are there before the scheduler starts, because on a machine of few cores the rate at which they can be created would be measured instead. The
// time is from the first binding to the last; the start is printed beside it.
//
// Each side has a fresh kube-apiserver and etcd: one that has deleted 10,000 pods has a history that the next side would pay for. Both sides share
// the machine with their server in the same way. Rate limits are lifted for both, and neither elects a leader.
//
// KUBELOOP_BENCH_PODS, KUBELOOP_BENCH_NODES and KUBELOOP_BENCH_ROUNDS make it smaller or longer: on two cores upstream's thousands of requests at once
// are not answered within the 34 s that the server gives each, and are sent again, so that a few thousand pods say more there. KUBELOOP_BENCH_SIDES=ours measures one side and judges nothing. Flags of this process go to our scheduler's, so
// `node --cpu-prof tools/bench/dist/main.js scheduler` leaves a profile of it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { isTimeout, isTooManyRequests, TransportError } from "@kubeloop/core/api";
import { systemClock } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { eventsEvents, nodes, pods } from "@kubeloop/core/resources";
import type { Node, Pod } from "@kubeloop/core/types/core/v1";
import { findBinaries, pathOf, RealCluster } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import { forEachOf, neverAborted } from "./manager-stage.ts";
import { cpuMsOf, rssMbOf } from "./process-cost.ts";
import { siblingOf } from "./raw-floor.ts";

const podCount = Number(process.env["KUBELOOP_BENCH_PODS"] ?? 10_000);
const nodeCount = Number(process.env["KUBELOOP_BENCH_NODES"] ?? 1000);
const roundCount = Number(process.env["KUBELOOP_BENCH_ROUNDS"] ?? 1);
const wantedSides = (process.env["KUBELOOP_BENCH_SIDES"] ?? "theirs,ours").split(",");
const podsOfOneSet = 100;
const zones = 3;
const lookEveryMs = 200;
/** Events are written beside the bindings, and the last of them later. */
const lookAtEventsMs = 2000;
const patienceMs = 900_000;
// Without these the server needs no controller: pods want a service account, and new nodes are tainted.
// Upstream's sends all bindings and events at once; the server may neither refuse nor queue them.
const flags = [
  "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=0",
  "--max-mutating-requests-inflight=0",
];

interface Cost {
  readonly podsPerSecond: number;
  /** From the start of the process to the first binding. */
  readonly startMs: number;
  /** Until the Events are written, too. */
  readonly cpuSeconds: number;
  readonly rssMb: number;
  readonly events: number;
  /** From the first binding, give or take the time between two looks. */
  readonly secondsToLastEvent: number;
}

export async function measureScheduler(): Promise<readonly Measurement[]> {
  const upstream = pathOf(await findBinaries(["kube-scheduler"], {}, neverAborted), "kube-scheduler");
  const commands = {
    theirs: (kubeconfig: string) => [
      upstream,
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
      "--kube-api-qps=100000",
      "--kube-api-burst=100000",
    ],
    ours: (kubeconfig: string) => [process.execPath, ...process.execArgv, siblingOf("scheduler-run.js"), kubeconfig],
  };
  const costs: Record<keyof typeof commands, Cost[]> = { ours: [], theirs: [] };
  for (let round = 0; round < roundCount; round++) {
    for (const side of ["theirs", "ours"] as const) {
      if (!wantedSides.includes(side)) continue;
      const cost = await measure(commands[side]);
      costs[side].push(cost);
      console.log(`  scheduler, ${side}: ${JSON.stringify(cost)}`);
    }
  }
  if (costs.ours.length * costs.theirs.length === 0) return [];
  const middle = (side: keyof typeof commands, what: keyof Cost) => median(costs[side].map((cost) => cost[what]));
  const perSecond = { ours: middle("ours", "podsPerSecond"), theirs: middle("theirs", "podsPerSecond") };
  const detail = (what: keyof Cost, digits = 0) =>
    `${middle("ours", what).toFixed(digits)} of ${middle("theirs", what).toFixed(digits)}`;
  return [
    {
      what: `scheduler, pods bound in a second of ${podCount} on ${nodeCount} nodes, against kube-scheduler`,
      measured: perSecond.ours / perSecond.theirs,
      limit: 1,
      bound: "at least",
      unit: " ×",
      detail: `${detail("podsPerSecond")} pods/s, ${detail("cpuSeconds", 1)} s of processor time, ${detail("rssMb")} MB resident, ${detail("events")} events in ${detail("secondsToLastEvent")} s`,
    },
  ];
}

async function measure(commandOf: (kubeconfig: string) => readonly string[]): Promise<Cost> {
  await using cluster = await RealCluster.start({ extraFlags: { "kube-apiserver": flags } }, neverAborted);
  await using client = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, neverAborted));
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  await forEachOf(range(nodeCount), (index) => client.resource(nodes).create(nodeOf(index), neverAborted));
  await forEachOf(range(podCount), (index) => client.resource(pods).in("default").create(podOf(index), neverAborted));
  const [program = "", ...args] = commandOf(cluster.adminKubeconfigPath);
  const beganMs = systemClock.monotonic();
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  try {
    const { pid = 0 } = child;
    await until(child, async () => (await exists(client, "spec.nodeName!=")) === true);
    const firstMs = systemClock.monotonic();
    await until(child, async () => (await exists(client, "spec.nodeName=")) === false);
    const seconds = (systemClock.monotonic() - firstMs) / 1000;
    const events = await untilEventsEnd(client);
    return {
      podsPerSecond: Math.round(podCount / seconds),
      startMs: Math.round(firstMs - beganMs),
      cpuSeconds: cpuMsOf([pid]) / 1000,
      rssMb: Math.round(rssMbOf([pid])),
      secondsToLastEvent: Math.round((systemClock.monotonic() - firstMs) / 1000),
      events,
    };
  } finally {
    await end(child);
  }
}

/** Whether a pod is so. At most one is sent, so that looking costs little. Undefined: the server is too busy to say. */
async function exists(client: Client, fieldSelector: string): Promise<boolean | undefined> {
  try {
    const page = client.resource(pods).in("default").list({ fieldSelector, pageSize: 1 }, neverAborted);
    for await (const _ of page) return true;
    return false;
  } catch (error) {
    if (isTimeout(error) || isTooManyRequests(error) || error instanceof TransportError) return undefined;
    throw error;
  }
}

/** Returns how many there are when no more come. */
async function untilEventsEnd(client: Client): Promise<number> {
  for (let before = -1; ; ) {
    const count = await countEvents(client);
    if (count === before || count >= podCount) return count;
    before = count;
    await systemClock.sleep(lookAtEventsMs, neverAborted);
  }
}

async function countEvents(client: Client): Promise<number> {
  let count = 0;
  for await (const _ of client.resource(eventsEvents).in("default").list({}, neverAborted)) count++;
  return count;
}

async function until(child: ChildProcess, isSo: () => Promise<boolean>): Promise<void> {
  const lastMs = systemClock.monotonic() + patienceMs;
  while (!(await isSo())) {
    if (child.exitCode !== null) throw new Error(`the scheduler ended with ${child.exitCode}`);
    if (systemClock.monotonic() > lastMs) throw new Error(`pods still wait after ${patienceMs / 1000} s`);
    await systemClock.sleep(lookEveryMs, neverAborted);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

function nodeOf(index: number): Node {
  const name = `node-${index}`;
  const labels = { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${index % zones}` };
  const allocatable = { cpu: "16", memory: "64Gi", pods: "110" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: { allocatable, capacity: allocatable } };
}

function podOf(index: number): Pod {
  const labels = { app: `web-${Math.trunc(index / podsOfOneSet)}` };
  const requests = { cpu: "100m", memory: "128Mi" };
  const containers = [{ name: "web", image: "nginx", resources: { requests } }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name: `web-${index}`, labels }, spec: { containers } };
}
