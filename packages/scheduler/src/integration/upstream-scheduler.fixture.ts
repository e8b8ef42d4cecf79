// A real kube-apiserver with upstream's kube-scheduler, which runs with `parallelism: 1`, where nothing but preemption is left to chance.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kubeloop/core/base";
import { type Client, clusterConfig, inlineCaBundle, openClient, tokenCredentials } from "@kubeloop/core/client";
import { namespaces, pods, priorityClasses } from "@kubeloop/core/resources";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { findBinaries, pathOf, RealCluster, SupervisedProcess } from "@kubeloop/real-cluster";
import { caseNamespaces, casePriorities } from "./generated-case.fixture.ts";

const lookEveryMs = 15;
// Without these the server needs no controller: pods want a service account, new nodes are tainted, and claims and volumes stay until they are released.
const disabled = "ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection";

interface Started {
  readonly cluster: RealCluster;
  readonly started: SupervisedProcess;
  readonly client: Client;
  readonly clock: Clock;
}

export class UpstreamScheduler implements AsyncDisposable {
  readonly client: Client;
  readonly #cluster: RealCluster;
  readonly #process: SupervisedProcess;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  private constructor({ cluster, started, client, clock }: Started, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#process = started;
    this.client = client;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Resolves when it has said that there are no nodes. */
  static async start(clock: Clock, signal: AbortSignal): Promise<UpstreamScheduler> {
    const extraFlags = { "kube-apiserver": [`--disable-admission-plugins=${disabled}`] };
    const cluster = await RealCluster.start({ extraFlags }, signal);
    const tls = { ca: inlineCaBundle(cluster.caPem), isVerified: true };
    const credentials = tokenCredentials(cluster.adminToken);
    const client = openClient(clusterConfig({ server: cluster.url, tls, credentials }));
    const started = await startProcess(cluster, signal);
    const upstream = new UpstreamScheduler({ cluster, started, client, clock }, signal);
    await upstream.#prepare();
    return upstream;
  }

  async #prepare(): Promise<void> {
    for (const [name, labels] of Object.entries(caseNamespaces)) {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } } as const;
      await this.client.resource(namespaces).create(namespace, this.#signal);
    }
    for (const [name, value] of Object.entries(casePriorities)) {
      const metadata = { name };
      const priorityClass = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata, value } as const;
      await this.client.resource(priorityClasses).create(priorityClass, this.#signal);
    }
    const first: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "first", namespace: "red" },
      spec: { containers: [{ name: "app", image: "app" }] },
    };
    await this.client.resource(pods).create(first, this.#signal);
    await this.until(first, conditionMessage);
    await this.client.resource(pods).in("red").delete("first", { gracePeriodSeconds: 0 }, this.#signal);
  }

  /** Returns `node <name>`, or the condition's message. */
  async verdict(pod: Pod): Promise<string> {
    return await this.until(pod, (seen) =>
      seen.spec.nodeName === undefined ? conditionMessage(seen) : `node ${seen.spec.nodeName}`,
    );
  }

  async until<T>({ metadata: { name = "", namespace = "" } }: Pod, look: (pod: Pod) => T | undefined): Promise<T> {
    for (;;) {
      const seen = look(await this.client.resource(pods).in(namespace).get(name, this.#signal));
      if (seen !== undefined) return seen;
      await this.#clock.sleep(lookEveryMs, this.#signal);
    }
  }

  /** The names of all pods that have a node. */
  async boundPods(): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for await (const { metadata, spec } of this.client.resource(pods).list({}, this.#signal)) {
      if (spec.nodeName !== undefined) names.add(metadata.name ?? "");
    }
    return names;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop(5000);
    await this.#cluster[Symbol.asyncDispose]();
  }
}

/** Returns why the pod is not scheduled. Undefined: nobody has said so yet. */
export function conditionMessage({ status }: Pod): string | undefined {
  const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return condition?.status === "False" && condition.reason !== "SchedulingGated"
    ? (condition.message ?? "")
    : undefined;
}

async function startProcess(cluster: RealCluster, signal: AbortSignal): Promise<SupervisedProcess> {
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
