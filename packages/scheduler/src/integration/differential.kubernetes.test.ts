// Generated clusters under upstream's kube-scheduler on a real kube-apiserver, and under ours in the test: for every pod the verdict, the text of the
// condition and the chosen node must be the same. Upstream runs with `parallelism: 1`, where nothing is left to chance.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printTime } from "@kubeloop/core/api";
import { seededRandom, systemClock } from "@kubeloop/core/base";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
import {
  eventsEvents,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  priorityClasses,
  replicaSets,
  services,
} from "@kubeloop/core/resources";
import type { ReplicaSet } from "@kubeloop/core/types/apps/v1";
import type { Namespace, Pod, Service } from "@kubeloop/core/types/core/v1";
import type { PodDisruptionBudget } from "@kubeloop/core/types/policy/v1";
import { findBinaries, pathOf, RealCluster, SupervisedProcess } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listers, noListers } from "../framework/listers.ts";
import { defaultPlugins } from "../plugins/default-plugins.ts";
import { schedulePod, type Verdict } from "../schedule.ts";
import { Nominator } from "../snapshot/nominator.ts";
import { Snapshot } from "../snapshot/snapshot.ts";
import { caseNamespaces, casePriorities, type GeneratedCase, generateCase } from "./generated-case.fixture.ts";

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
  for (const [name, value] of Object.entries(casePriorities)) {
    const priorityClass = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
    } as const;
    await client.resource(priorityClasses).create(priorityClass, signal);
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
async function upstreamVerdict(pod: Pod): Promise<string> {
  return await until(pod, ({ spec, status }) => {
    if (spec.nodeName !== undefined) return `node ${spec.nodeName}`;
    const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
    return condition?.status === "False" ? (condition.message ?? "") : undefined;
  });
}

async function until<T>(
  { metadata: { name = "", namespace = "" } }: Pod,
  look: (pod: Pod) => T | undefined,
): Promise<T> {
  for (;;) {
    const seen = look(await client.resource(pods).in(namespace).get(name, signal));
    if (seen !== undefined) return seen;
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
  for (const budget of generated.budgets) {
    const { resourceVersion } = (await client.resource(podDisruptionBudgets).create(budget, signal)).metadata;
    const metadata = { ...budget.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await client.resource(podDisruptionBudgets).updateStatus({ ...budget, metadata }, signal);
  }
  if (generated.bound.some(({ spec }) => spec.priorityClassName !== undefined)) await startAll(generated);
  for (const { metadata } of generated.bound) {
    const { name = "", namespace = "" } = metadata;
    if (!generated.terminating.includes(name)) continue;
    await client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 3600 }, signal);
  }
  await systemClock.sleep(settleMs, signal);
}

/** Gives each bound pod a start time of its own, so that no two are of the same importance. */
async function startAll({ bound }: Pick<GeneratedCase, "bound">): Promise<void> {
  for (const [index, pod] of bound.entries()) await start(pod, (index * 7) % bound.length);
}

async function start({ metadata: { name = "", namespace = "" } }: Pod, minute: number): Promise<Pod> {
  const startTime = printTime(Date.parse("2026-01-01T00:00:00Z") + minute * 60_000);
  const patch = { type: "merge", body: { status: { startTime, phase: "Running" } } } as const;
  return await client.resource(pods).in(namespace).subresource("status").patch(name, patch, signal);
}

async function deleteAll(): Promise<void> {
  for (const namespace of Object.keys(caseNamespaces)) {
    await client.resource(pods).in(namespace).deleteCollection({ gracePeriodSeconds: 0 }, signal);
    await client.resource(replicaSets).in(namespace).deleteCollection({}, signal);
    await client.resource(podDisruptionBudgets).in(namespace).deleteCollection({}, signal);
    await client.resource(eventsEvents).in(namespace).deleteCollection({}, signal);
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

interface Observed {
  readonly snapshot: Snapshot;
  readonly listers: Listers;
}

/** The snapshot and the listers of ours, from what the server has stored. */
async function observe({ nodes: drawn }: GeneratedCase): Promise<Observed> {
  const snapshot = new Snapshot();
  for (const { metadata } of drawn) snapshot.setNode(await client.resource(nodes).get(metadata.name ?? "", signal));
  for await (const pod of client.resource(pods).list({}, signal)) {
    if (pod.spec.nodeName !== undefined) snapshot.setPod(pod);
  }
  const all: Namespace[] = [];
  for await (const namespace of client.resource(namespaces).list({}, signal)) all.push(namespace);
  const allServices: Service[] = [];
  for await (const service of client.resource(services).list({}, signal)) allServices.push(service);
  const allBudgets: PodDisruptionBudget[] = [];
  for await (const budget of client.resource(podDisruptionBudgets).list({}, signal)) allBudgets.push(budget);
  const allSets: ReplicaSet[] = [];
  for await (const set of client.resource(replicaSets).list({}, signal)) allSets.push(set);
  return {
    snapshot,
    listers: {
      ...noListers,
      namespace: (name) => all.find(({ metadata }) => metadata.name === name),
      namespaces: () => all,
      services: (namespace) => allServices.filter(({ metadata }) => metadata.namespace === namespace),
      podDisruptionBudgets: () => allBudgets,
      replicaSet: (namespace, name) =>
        allSets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    },
  };
}

let startIndex = 0;

/** Schedules with ours, from what the server had stored. */
function decide(pod: Pod, { snapshot, listers }: Observed): Verdict {
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
  return verdict;
}

const said = (verdict: Verdict) => (verdict.at === "scheduled" ? `node ${verdict.nodeName}` : verdict.message);

async function compare(generated: GeneratedCase): Promise<void> {
  const observed = await observe(generated);
  for (const [index, drawn] of generated.pending.entries()) {
    const pod = await client.resource(pods).create(drawn, signal);
    const ours = decide(pod, observed);
    const about = drawn.metadata.name;
    if (ours.at === "unschedulable" && typeof ours.nomination !== "string") {
      expect({ about, ...(await preemptedByUpstream(pod, observed)) }).toEqual({
        about,
        message: ours.message,
        nodeName: ours.nomination.nodeName,
        victims: ours.nomination.victims.map((victim) => victim.pod.metadata.name ?? "").sort(),
      });
      for (const victim of ours.nomination.victims) observed.snapshot.removePod(victim.uid);
      // The second attempt takes the nominated node.
      const { nodeName } = ours.nomination;
      expect(said(decide({ ...pod, status: { ...pod.status, nominatedNodeName: nodeName } }, observed))).toBe(
        `node ${nodeName}`,
      );
    } else {
      expect({ about, verdict: said(ours) }).toEqual({ about, verdict: await upstreamVerdict(pod) });
    }
    const { name = "", namespace = "" } = pod.metadata;
    const after = await client.resource(pods).in(namespace).get(name, signal);
    if (after.spec.nodeName !== undefined) {
      const mayBecomeVictim = drawn.spec.priorityClassName !== undefined;
      observed.snapshot.setPod(mayBecomeVictim ? await start(after, 1000 + index) : after);
    } else await client.resource(pods).in(namespace).delete(name, { gracePeriodSeconds: 0 }, signal);
  }
}

/** Waits until upstream has preempted for the pod and bound it, and returns what it said and did. */
async function preemptedByUpstream(pod: Pod, { snapshot }: Observed): Promise<object> {
  const { name = "", namespace = "", uid } = pod.metadata;
  const before = snapshot.nodes.flatMap((node) => [...node.pods].map((each) => each.pod.metadata.name ?? ""));
  const nodeName = await until(pod, ({ spec, status }) => {
    const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
    const isRefused = condition?.status === "False" && (status?.nominatedNodeName ?? "") === "";
    return isRefused ? `refused: ${condition.message}` : spec.nodeName;
  });
  const after = await boundPods();
  const victims = before.filter((each) => !after.has(each)).sort();
  for (let looks = 0; looks < 200; looks++) {
    for await (const event of client.resource(eventsEvents).in(namespace).list({}, signal)) {
      if (event.regarding?.uid !== uid || event.regarding?.name !== name) continue;
      if (event.reason === "FailedScheduling") return { message: event.note, nodeName, victims };
    }
    await systemClock.sleep(lookEveryMs, signal);
  }
  return { message: "no FailedScheduling event", nodeName, victims };
}

async function boundPods(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { metadata, spec } of client.resource(pods).list({}, signal)) {
    if (spec.nodeName !== undefined) names.add(metadata.name ?? "");
  }
  return names;
}

const cases = Number(process.env["KUBELOOP_CASES"] ?? 10);
const only = process.env["KUBELOOP_ONLY_SEED"];
const seeds = (prefix: string, count: number) => {
  const all = Array.from({ length: Math.ceil(count) }, (_, index) => `${prefix}${index}`);
  return only === undefined ? all : all.filter((seed) => seed === only);
};

async function run(generated: GeneratedCase): Promise<void> {
  try {
    await createAll(generated);
    await compare(generated);
  } finally {
    await deleteAll();
  }
}

test.each(seeds("s", cases))("upstream and ours decide alike, seed %s", async (seed) => {
  await run(generateCase(seed, { pending: 20 }));
});

test.each(seeds("p", cases / 2))("upstream and ours preempt alike, seed %s", async (seed) => {
  await run(generateCase(seed, { pending: 10, preempts: true }));
});

// With a hundred nodes and more, the search stops early and goes on where it stopped.
test.each(seeds("l", cases / 10))("upstream and ours search a large cluster alike, seed %s", async (seed) => {
  await run(generateCase(seed, { nodes: 150, pending: 60 }));
});
