// One subject of the informer bench on a real kube-apiserver, a process of its own: fills a cache with all pods and prints what that took, then hears
// updates and prints what they took, from the first one on. As an informer, or as the least that a program does (undici, JSON.parse, a Map).
//
//   node real-informer-run.js <who> <kubeconfig> <updates>    who: floor | metadata | status | all
import { readFileSync } from "node:fs";
import { deferred, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { newListWatchFromClient, SharedIndexInformer } from "@kubeloop/core/informer";
import { pods } from "@kubeloop/core/resources";
import { Agent, request } from "undici";
import { cpuMsSince, openInformerMeter, reads } from "./informer-meter.ts";
import type { SyncCost, WatchCost } from "./real-informer.ts";

const [, , who = "", kubeconfig = "", updates = ""] = process.argv;
const updateCount = Number(updates);
const neverAborted = new AbortController().signal;
const meter = await openInformerMeter();

await (who === "floor" ? runFloor() : runInformer());
process.exit(0);

function say(cost: SyncCost | WatchCost): void {
  console.log(JSON.stringify(cost));
}

/** Counts updates, and processor time from the first one on. */
function openCounter(): { readonly count: () => void; readonly counted: Promise<WatchCost> } {
  let events = 0;
  let start = process.cpuUsage();
  const { promise, resolve } = deferred<WatchCost>();
  return {
    counted: promise,
    count() {
      if (++events === 1) start = process.cpuUsage();
      if (events === updateCount) resolve({ watchCpuMs: cpuMsSince(start), events });
    },
  };
}

interface SeenPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

async function runFloor(): Promise<void> {
  const { server, options } = readAccess();
  const cache = new Map<string, object>();
  const keep = (pod: SeenPod) => cache.set(`${pod.metadata.namespace}/${pod.metadata.name}`, pod);
  const startSync = process.cpuUsage();
  const chunks: Buffer[] = [];
  const list = await request(`${server}/api/v1/pods?resourceVersion=0`, options);
  if (list.statusCode !== 200) throw new Error(`the list was answered with ${list.statusCode}`);
  for await (const chunk of list.body) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const startParse = systemClock.monotonic();
  const { items, metadata } = JSON.parse(text) as { items: SeenPod[]; metadata: { resourceVersion: string } };
  const stallMs = systemClock.monotonic() - startParse;
  items.forEach(keep);
  const syncCpuMs = cpuMsSince(startSync);
  items.length = 0;
  chunks.length = 0;
  const { count, counted } = openCounter();
  const query = `watch=true&resourceVersion=${metadata.resourceVersion}`;
  const { body } = await request(`${server}/api/v1/pods?${query}`, options);
  say({ syncCpuMs, stallMs, ...meter.heldAfterSync(), pods: cache.size });
  body.setEncoding("utf8");
  let rest = "";
  let events = 0;
  for await (const chunk of body) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      keep((JSON.parse(line) as { object: SeenPod }).object);
      count();
      events++;
    }
    if (events >= updateCount) break;
  }
  say(await counted);
}

/** The kubeconfigs of real clusters are JSON and hold a certificate. */
function readAccess() {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8")) as {
    readonly clusters: readonly {
      readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
    }[];
    readonly users: readonly {
      readonly user: { readonly "client-certificate-data": string; readonly "client-key-data": string };
    }[];
  };
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
  if (cluster === undefined || user === undefined) throw new Error(`${kubeconfig} names no cluster or no user`);
  const connect = {
    ca: fromBase64(cluster["certificate-authority-data"]),
    cert: fromBase64(user["client-certificate-data"]),
    key: fromBase64(user["client-key-data"]),
  };
  const options = {
    // A quiet watch is no broken one.
    dispatcher: new Agent({ connect, bodyTimeout: 0 }),
    headers: { accept: "application/json" },
  };
  return { server: cluster.server, options };
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}

async function runInformer(): Promise<void> {
  const stop = new AbortController();
  await using client = openClient(await loadClusterConfig({ path: kubeconfig }, neverAborted));
  const informer = new SharedIndexInformer(newListWatchFromClient(client, pods));
  const read = reads.get(who);
  const { count, counted } = openCounter();
  informer.addEventHandler({
    onUpdate(_old, pod) {
      read?.(pod);
      count();
    },
  });
  const startSync = process.cpuUsage();
  const running = informer.run(stop.signal);
  await informer.whenSynced(neverAborted);
  const syncCpuMs = cpuMsSince(startSync);
  const stallMs = await meter.longestStallMs();
  say({ syncCpuMs, stallMs, ...meter.heldAfterSync(), pods: informer.getIndexer().listKeys().length });
  say(await counted);
  stop.abort();
  await running;
}
