// Follows the pods of a cluster: says what changes, and counts them by node from an index. The cache stands for the server: however often the
// connection breaks, what is counted is what is there.
//
//   node examples/dist/informers/follow-pods.js [namespace]
import type { corev1 } from "@kubeloop/core/api";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { type InformerFactoryOptions, lastStateOf, SharedInformerFactory } from "@kubeloop/core/informer";
import { openStopSignal } from "@kubeloop/core/runtime";

export interface FollowOptions extends InformerFactoryOptions {
  readonly print: (line: string) => void;
}

/** Until the signal aborts. */
export async function followPods(client: Client, options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { print, ...rest } = options;
  const factory = new SharedInformerFactory(client, rest);
  const { informer, lister } = factory.core.v1.pods;
  informer.addIndexers({ node: (pod) => [pod.spec.nodeName ?? ""] });
  informer.addEventHandler({
    onAdd: (pod, { isInInitialList }) => {
      if (!isInInitialList) print(`+ ${nameOf(pod)}`);
    },
    onUpdate: (before, after) => {
      if (before.status?.phase !== after.status?.phase) print(`~ ${nameOf(after)} is ${after.status?.phase}`);
    },
    // The pod, or a word that it is gone: nobody may have been watching when it went. Its last state may be unknown.
    onDelete: (gone) => {
      const last = lastStateOf(gone);
      print(`- ${last === undefined ? "a pod" : nameOf(last)}`);
    },
  });
  const running = factory.run(signal);
  await factory.waitForCacheSync(signal);
  const { length } = lister.list();
  const indexer = informer.getIndexer();
  const byNode = indexer
    .listIndexFuncValues("node")
    .map((node) => `${node || "no node"}: ${indexer.byIndex("node", node).length}`);
  print(`${length} in all (${byNode.toSorted().join(", ")})`);
  await running;
}

const nameOf = ({ metadata }: corev1.Pod) => `${metadata.namespace}/${metadata.name}`;

async function main(namespace: string | undefined): Promise<void> {
  using stop = openStopSignal();
  await using client = openClient(await loadClusterConfig({}, stop.signal));
  const print = (line: string) => console.log(line);
  await followPods(client, { print, ...(namespace === undefined ? {} : { namespace }) }, stop.signal);
}

if (process.argv[1] === import.meta.filename) await main(process.argv[2]);
