// One run of the idle informers' bench, a process of its own: says what it holds when all of its informers have synced.
//
//   node --expose-gc idle-informers-run.js <address> <how many>    the authority's certificate on stdin
import { systemClock, timeoutSignal } from "@kubeloop/core/base";
import { clusterConfig, inlineCaBundle, openClient } from "@kubeloop/core/client";
import { newListWatchFromClient, SharedIndexInformer } from "@kubeloop/core/informer";
import { builtInResources } from "@kubeloop/core/resources";

export interface IdleCost {
  readonly rssMb: number;
}

const [, , address = "", count = ""] = process.argv;
const { signal } = new AbortController();
let ca = "";
for await (const chunk of process.stdin.setEncoding("utf8")) ca += chunk as string;

const client = openClient(clusterConfig({ server: address, tls: { ca: inlineCaBundle(ca), isVerified: true } }));
const watched = builtInResources.filter(({ verbs }) => verbs.includes("watch"));
const informers = watched.slice(0, Number(count)).map((resource) => {
  const informer = new SharedIndexInformer(newListWatchFromClient(client, resource));
  informer.addEventHandler({ onAdd() {} });
  void informer.run(signal);
  return informer;
});
if (informers.length < Number(count)) throw new Error(`there are ${informers.length} resources to watch, not ${count}`);
const limit = timeoutSignal(signal, 30_000, { clock: systemClock, what: "the sync of all informers" });
await Promise.all(informers.map((informer) => informer.whenSynced(limit.signal)));
limit[Symbol.dispose]();
// What it still holds of its start is not what it holds when idle.
for (let pause = 0; pause < 2; pause++) {
  await systemClock.sleep(300, signal);
  globalThis.gc?.();
}
const cost: IdleCost = { rssMb: process.memoryUsage().rss / 2 ** 20 };
console.log(JSON.stringify(cost));
process.exit(0);
