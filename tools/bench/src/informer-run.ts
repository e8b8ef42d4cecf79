// One run of the informer bench, a process of its own: syncs 20,000 pods, then hears 100,000 updates, as an informer or as the
// least that a program does (undici, JSON.parse, a Map), and prints what both took.
//
//   node informer-run.js <who> <address> <manner>    who: floor | ours | transform | ten | metadata | status | all
import { clusterConfig, openClient } from "@kubeloop/core/client";
import { newListWatchFromClient, SharedIndexInformer, stripManagedFields } from "@kubeloop/core/informer";
import { pods } from "@kubeloop/core/resources";
import { request } from "undici";
import { cpuMsSince, openInformerMeter, reads } from "./informer-meter.ts";
import { readListWhole } from "./raw-floor.ts";

export interface InformerCost {
  readonly syncCpuMs: number;
  readonly stallMs: number;
  readonly peakMb: number;
  readonly heapMb: number;
  readonly watchCpuMs: number;
  readonly events: number;
}

const [, , who = "", address = "", manner = ""] = process.argv;
const neverAborted = new AbortController().signal;
const updateCount = 100_000;

const threeIndexes = {
  namespace: (pod: { metadata: { namespace?: string } }) => [pod.metadata.namespace ?? ""],
  node: (pod: { spec?: { nodeName?: string } }) => [pod.spec?.nodeName ?? ""],
  app: (pod: { metadata: { labels?: { readonly [name: string]: string } } }) => [pod.metadata.labels?.["app"] ?? ""],
};

const meter = await openInformerMeter();
const cost = await (who === "floor" ? runFloor() : runInformer());
console.log(JSON.stringify(cost));
process.exit(0);

async function runFloor(): Promise<InformerCost> {
  const cache = new Map<string, object>();
  const startSync = process.cpuUsage();
  const { items, parseMs } = await readListWhole(`${address}/whole/api/v1/pods`);
  for (const item of items as { metadata: { namespace: string; name: string } }[]) {
    cache.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
  }
  const syncCpuMs = cpuMsSince(startSync);
  (items as unknown[]).length = 0;
  const held = meter.heldAfterSync();
  const startWatch = process.cpuUsage();
  const { body } = await request(`${address}/whole/api/v1/pods?watch=true`);
  body.setEncoding("utf8");
  let events = 0;
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { object } = JSON.parse(line) as { object: { metadata: { namespace: string; name: string } } };
      cache.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
      events++;
    }
    if (events >= updateCount) break;
  }
  return { syncCpuMs, stallMs: parseMs, ...held, watchCpuMs: cpuMsSince(startWatch), events };
}

async function runInformer(): Promise<InformerCost> {
  const stop = new AbortController();
  const encoding = manner === "protobuf" ? "protobuf" : "json";
  await using client = openClient(clusterConfig({ server: `${address}/${manner}` }), { encoding });
  const informer = new SharedIndexInformer(newListWatchFromClient(client, pods), {
    indexers: who === "ten" ? threeIndexes : {},
    ...(who === "transform" ? { transform: stripManagedFields() } : {}),
  });
  let events = 0;
  let hasHeardAll = () => {};
  const heardAll = new Promise<void>((resolve) => {
    hasHeardAll = resolve;
  });
  const read = reads.get(who);
  const count = (_old: object, pod: object) => {
    read?.(pod as Parameters<NonNullable<typeof read>>[0]);
    if (++events === updateCount) hasHeardAll();
  };
  for (let i = 1; i < (who === "ten" ? 10 : 1); i++) informer.addEventHandler({ onUpdate() {} });
  informer.addEventHandler({ onUpdate: count });
  const startSync = process.cpuUsage();
  const running = informer.run(stop.signal);
  await informer.whenSynced(neverAborted);
  const syncCpuMs = cpuMsSince(startSync);
  const stallMs = await meter.longestStallMs();
  const held = meter.heldAfterSync();
  const startWatch = process.cpuUsage();
  // Of a transform only what it leaves in the cache is measured.
  if (who !== "transform") await heardAll;
  const watchCpuMs = cpuMsSince(startWatch);
  stop.abort();
  await running;
  return { syncCpuMs, stallMs, ...held, watchCpuMs, events };
}
