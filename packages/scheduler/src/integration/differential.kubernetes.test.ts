// Generated clusters under upstream's kube-scheduler on a real kube-apiserver, and under ours in the test: for every pod the verdict, the text of the
// condition and the chosen node must be the same. Upstream runs with `parallelism: 1`, where nothing is left to chance.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seededRandom, systemClock } from "@kubeloop/core/base";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
import { namespaces, nodes, pods, replicaSets, services } from "@kubeloop/core/resources";
import type { ReplicaSet } from "@kubeloop/core/types/apps/v1";
import type { Namespace, Pod, Service } from "@kubeloop/core/types/core/v1";
import { findBinaries, pathOf, RealCluster, SupervisedProcess } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listers, noListers } from "../framework/listers.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { schedulePod } from "../schedule.ts";
import { Nominator } from "../snapshot/nominator.ts";
import { Snapshot } from "../snapshot/snapshot.ts";
import { caseNamespaces, type GeneratedCase, generateCase } from "./generated-case.fixture.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let upstream: SupervisedProcess;
let client: Client;

/** How long upstream's caches may take until they hold what was written. */
const settleMs = 500;
const lookEveryMs = 15;

beforeAll(async () => {
  const extraFlags = {
    "kube-apiserver": ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"],
  };
  cluster = await RealCluster.start({ extraFlags }, signal);
  const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
  client = openClient(clusterConfig({ server: cluster.url, tls, credentials: tokenCredentials(cluster.adminToken) }));
  upstream = await startUpstream();
  for (const [name, labels] of Object.entries(caseNamespaces)) {
    await client
      .resource(namespaces)
      .create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }, signal);
  }
  // Its first verdict shows that it runs.
  const first: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "first", namespace: "red" },
    spec: { containers: [{ name: "app", image: "app" }] },
  };
  await client.resource(pods).create(first, signal);
  expect(await upstreamVerdict(first)).toBe("no nodes available to schedule pods");
  await client.resource(pods).in("red").delete("first", { gracePeriodSeconds: 0 }, signal);
});

afterAll(async () => {
  await upstream?.stop(5000);
  await cluster?.[Symbol.asyncDispose]();
});

async function startUpstream(): Promise<SupervisedProcess> {
  const config = join(cluster.folder, "scheduler-config.yaml");
  const kubeconfig = join(cluster.folder, "kube-scheduler.kubeconfig");
  const settings = {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    parallelism: 1,
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig, qps: 5000, burst: 5000 },
  };
  await writeFile(config, JSON.stringify(settings));
  const binaries = await findBinaries(["kube-scheduler"], {}, signal);
  return await SupervisedProcess.start({
    path: pathOf(binaries, "kube-scheduler"),
    flags: [`--config=${config}`, "--secure-port=0", "--v=2"],
    logPath: join(cluster.folder, "kube-scheduler.log"),
    throwAwayFolder: cluster.folder,
  });
}

/** Returns `node <name>`, or the condition's message. */
async function upstreamVerdict({ metadata: { name = "", namespace = "" } }: Pod): Promise<string> {
  for (;;) {
    const found = await client.resource(pods).in(namespace).get(name, signal);
    if (found.spec.nodeName !== undefined) return `node ${found.spec.nodeName}`;
    const condition = found.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (condition?.status === "False") return condition.message ?? "";
    await systemClock.sleep(lookEveryMs, signal);
  }
}

async function createAll({ nodes: drawn, ...generated }: GeneratedCase): Promise<void> {
  for (const node of drawn) await client.resource(nodes).create(node, signal);
  await Promise.all([
    ...generated.services.map((service) => client.resource(services).create(service, signal)),
    ...generated.replicaSets.map((set) => client.resource(replicaSets).create(set, signal)),
    ...generated.bound.map((pod) => client.resource(pods).create(pod, signal)),
  ]);
  for (const { metadata } of generated.bound) {
    const { name = "", namespace = "" } = metadata;
    if (!generated.terminating.includes(name)) continue;
    await client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 3600 }, signal);
  }
  await systemClock.sleep(settleMs, signal);
}

async function deleteAll(): Promise<void> {
  for (const namespace of Object.keys(caseNamespaces)) {
    await client.resource(pods).in(namespace).deleteCollection({ gracePeriodSeconds: 0 }, signal);
    await client.resource(replicaSets).in(namespace).deleteCollection({}, signal);
    for await (const { metadata } of client.resource(services).in(namespace).list({}, signal)) {
      await client
        .resource(services)
        .in(namespace)
        .delete(metadata.name ?? "", signal);
    }
  }
  await client.resource(nodes).deleteCollection({}, signal);
  await systemClock.sleep(settleMs, signal);
}

/** The snapshot and the listers of ours, from what the server has stored. */
async function observe({ nodes: drawn }: GeneratedCase): Promise<{ snapshot: Snapshot; listers: Listers }> {
  const snapshot = new Snapshot();
  for (const { metadata } of drawn) snapshot.setNode(await client.resource(nodes).get(metadata.name ?? "", signal));
  for await (const pod of client.resource(pods).list({}, signal)) {
    if (pod.spec.nodeName !== undefined) snapshot.setPod(pod);
  }
  const all: Namespace[] = [];
  for await (const namespace of client.resource(namespaces).list({}, signal)) all.push(namespace);
  const allServices: Service[] = [];
  for await (const service of client.resource(services).list({}, signal)) allServices.push(service);
  const allSets: ReplicaSet[] = [];
  for await (const set of client.resource(replicaSets).list({}, signal)) allSets.push(set);
  return {
    snapshot,
    listers: {
      ...noListers,
      namespace: (name) => all.find(({ metadata }) => metadata.name === name),
      namespaces: () => all,
      services: (namespace) => allServices.filter(({ metadata }) => metadata.namespace === namespace),
      replicaSet: (namespace, name) =>
        allSets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    },
  };
}

let startIndex = 0;

async function compare(generated: GeneratedCase): Promise<void> {
  const { snapshot, listers } = await observe(generated);
  for (const drawn of generated.pending) {
    const pod = await client.resource(pods).create(drawn, signal);
    const theirs = await upstreamVerdict(pod);
    const verdict = schedulePod(pod, {
      snapshot,
      listers,
      nominator: new Nominator(),
      plugins: defaultPlugins,
      startIndex,
      percentageOfNodesToScore: 0,
      nowMs: systemClock.now(),
      random: seededRandom("comparison"),
    });
    startIndex = verdict.startIndex;
    const ours = verdict.at === "scheduled" ? `node ${verdict.nodeName}` : verdict.message;
    expect({ pod: drawn.metadata.name, verdict: ours }).toEqual({ pod: drawn.metadata.name, verdict: theirs });
    const { name = "", namespace = "" } = pod.metadata;
    if (verdict.at === "scheduled") snapshot.setPod(await client.resource(pods).in(namespace).get(name, signal));
    else await client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 0 }, signal);
  }
}

const cases = Number(process.env["KUBELOOP_CASES"] ?? 10);
const only = process.env["KUBELOOP_ONLY_SEED"];
const seeds = only === undefined ? Array.from({ length: cases }, (_, index) => `s${index}`) : [only];

test.each(seeds)("upstream and ours decide alike, seed %s", async (seed) => {
  const generated = generateCase(seed, { pending: 20 });
  try {
    await createAll(generated);
    await compare(generated);
  } finally {
    await deleteAll();
  }
});
