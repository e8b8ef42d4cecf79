// One operator, written with kubeloop and with controller-runtime, each in turn against the same kube-apiserver and etcd: the
// processor time of its process for each of 500 new objects with three children each, then for 500 more, and what it has in
// memory with all 1,000 of them. Nothing else writes: no controller manager runs.
//
// The first 500 are where a just-in-time compiler has its work, the next 500 are what a long-running operator is like. Starting is
// counted for neither: an object that goes through before the first 500 shows that both are ready.
//
// Flags of this process go to the operator's, so `node --cpu-prof tools/bench/dist/main.js operator` leaves a profile of each round.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Resource } from "@kubeloop/core/api";
import { childSignal, deferred, systemClock, untilAborted } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { newListWatchFromClient, SharedIndexInformer } from "@kubeloop/core/informer";
import { configMaps, customResourceDefinitions, deployments, services } from "@kubeloop/core/resources";
import { BinariesMissingError, findBinaries, RealCluster } from "@kubeloop/real-cluster";
import { type Measurement, median } from "./budget.ts";
import type { OperatorUsage } from "./operator-run.ts";
import { newWebsite, type Website, websiteDefinition, websites } from "./operator-website.ts";
import { siblingOf } from "./raw-floor.ts";

const rounds = 5;
const waveSize = 500;
const creators = 10;
const patienceMs = 120_000;
/** Every object has a Service, and every Service an address. */
const extraFlags = { "kube-apiserver": ["--service-cluster-ip-range=10.96.0.0/16"] };
/** What the operator's own writes bring back to it is reconciled, too, and is part of the price. */
const echoesMs = 1000;

interface OperatorCost {
  readonly startCpuMs: number;
  /** For each object. */
  readonly firstCpuMs: number;
  readonly nextCpuMs: number;
  readonly rssMb: number;
  readonly reconciles: number;
}

interface Round {
  readonly ours: OperatorCost;
  readonly theirs: OperatorCost;
}

export async function measureOperator(): Promise<readonly Measurement[]> {
  const signal = new AbortController().signal;
  const goClients = await findGoClients(signal);
  if (goClients === undefined) return [];
  await using cluster = await RealCluster.start({ extraFlags }, signal);
  await using client = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, signal));
  await client.resource(customResourceDefinitions).create(websiteDefinition, signal);
  await using bench = await OperatorBench.open(client, signal);
  const path = cluster.adminKubeconfigPath;
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const theirs = await bench.measure(goClients, ["website-operator", "--kubeconfig", path], signal);
    const args = [...process.execArgv, siblingOf("operator-run.js"), path];
    measured.push({ theirs, ours: await bench.measure(process.execPath, args, signal) });
  }
  const start = (side: keyof Round) => median(measured.map((each) => each[side].startCpuMs)).toFixed(0);
  console.log(
    `operator, processor time until it is ready: ${start("ours")} ms, controller-runtime ${start("theirs")} ms`,
  );
  return [
    ratio(measured, "firstCpuMs", "ms", `processor time for each of ${waveSize} new objects`),
    ratio(measured, "nextCpuMs", "ms", `processor time for each of the next ${waveSize}`),
    ratio(measured, "rssMb", "MB", `resident memory with ${2 * waveSize} objects`),
  ];
}

/** The operator on controller-runtime; built the first time. Without Go there is nothing to compare with. */
async function findGoClients(signal: AbortSignal): Promise<string | undefined> {
  const say = (sentence: string) => console.log(`operator: ${sentence}`);
  try {
    await findBinaries(["etcd", "kube-apiserver", "kubectl"], { mayBuild: true, say }, signal);
    return (await findBinaries(["go-clients"], { mayBuild: true, say }, signal)).get("go-clients");
  } catch (error) {
    if (!(error instanceof BinariesMissingError) || error.hasGo) throw error;
    say(`not measured: ${error.message}`);
    return undefined;
  }
}

function ratio(measured: readonly Round[], cost: keyof OperatorCost, unit: string, what: string): Measurement {
  const side = (name: keyof Round) => median(measured.map((round) => round[name][cost])).toFixed(2);
  return {
    what: `operator, three children each, ${what} against controller-runtime`,
    measured: median(measured.map(({ ours, theirs }) => ours[cost] / theirs[cost])),
    limit: 1,
    bound: "at most",
    unit: " ×",
    detail: `${side("ours")} of ${side("theirs")} ${unit}, median of ${measured.length}`,
  };
}

/** Makes objects, sees when an operator is through with them, and clears away. */
class OperatorBench implements AsyncDisposable {
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #reported = new Set<string>();
  #awaited = { count: 0, reached: () => {} };
  #running: Promise<void> = Promise.resolve();

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(client: Client, signal: AbortSignal): Promise<OperatorBench> {
    const bench = new OperatorBench(client);
    const informer = new SharedIndexInformer<Website>(newListWatchFromClient(client, websites));
    informer.addEventHandler({
      onAdd: (site) => bench.#saw(site),
      onUpdate: (_before, site) => bench.#saw(site),
    });
    bench.#running = informer.run(bench.#stop.signal);
    await informer.whenSynced(signal);
    return bench;
  }

  /** One operator, from its start to its end. */
  async measure(program: string, args: readonly string[], signal: AbortSignal): Promise<OperatorCost> {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const log = keepEnd(child.stderr);
    const ask = asker(child);
    const running = childSignal(signal);
    child.once("exit", () => running.abort(new Error("the operator has ended")));
    try {
      await this.#wave("probe", 1, running.signal);
      const atStart = await ask();
      await this.#wave("first", waveSize, running.signal);
      const afterFirst = await ask();
      await this.#wave("next", waveSize, running.signal);
      const afterNext = await ask();
      return {
        startCpuMs: atStart.cpuMs,
        firstCpuMs: (afterFirst.cpuMs - atStart.cpuMs) / waveSize,
        nextCpuMs: (afterNext.cpuMs - afterFirst.cpuMs) / waveSize,
        rssMb: afterNext.rssMb,
        reconciles: afterNext.reconciles,
      };
    } catch (error) {
      console.error(log());
      throw error;
    } finally {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      running[Symbol.dispose]();
      await this.#clear(signal);
    }
  }

  /** Makes so many and waits until each has a status, and what followed from that is over. */
  async #wave(prefix: string, size: number, signal: AbortSignal): Promise<void> {
    const reached = deferred<void>();
    this.#reported.clear();
    this.#awaited = { count: size, reached: () => reached.resolve() };
    using _limit = systemClock.after(patienceMs, () =>
      reached.reject(new Error(`${size - this.#reported.size} of ${size} objects were not reconciled in time`)),
    );
    const names = Array.from({ length: size }, (_, i) => `${prefix}-${i}`).values();
    const create = async () => {
      for (const name of names) await this.#client.resource(websites).create(newWebsite(name), signal);
    };
    await Promise.all([...Array.from({ length: creators }, create), untilAborted(reached.promise, signal)]);
    await systemClock.sleep(echoesMs, signal);
  }

  #saw({ metadata, status }: Website): void {
    if (status?.observedGeneration === undefined) return;
    this.#reported.add(metadata.uid ?? "");
    if (this.#reported.size === this.#awaited.count) this.#awaited.reached();
  }

  /** Everything an operator has left: no garbage collector runs. */
  async #clear(signal: AbortSignal): Promise<void> {
    const all: readonly Resource[] = [websites, configMaps, deployments, services];
    for (const resource of all) await this.#client.resource(resource).in("default").deleteCollection({}, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

/** The end of what a process logs: of interest when something goes wrong, and only then. */
function keepEnd(stream: Readable): () => string {
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    end = (end + text).slice(-3000);
  });
  return () => end;
}

/** A line for a line: each asks for what the process has used so far. */
function asker({ stdin, stdout }: ChildProcess): () => Promise<OperatorUsage> {
  if (stdin === null || stdout === null) throw new Error("the operator has no pipes");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => {
    stdin.write("usage\n");
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) throw new Error("the operator has ended");
      const said = JSON.parse(value) as Partial<OperatorUsage>;
      if (said.cpuMs !== undefined) return said as OperatorUsage;
    }
  };
}
