// `npm run soak [-- --minutes 60]`: writes to the server of `kubeloop up` for an hour while many watch, prints its memory and its delays each minute,
// and says in the end whether memory is flat (verdict.ts has the rule) and whether every watcher saw every change. The exit code is 0 if both are so.
//
// The rate that is reached depends on the machine and is printed; to reach less than was asked for is no failure.
import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { seededRandom, systemClock } from "@kubeloop/core/base";
import { Asker } from "./ask.ts";
import type { Probed } from "./probe.ts";
import { missedBy } from "./tally.ts";
import { UpProcess } from "./up-process.ts";
import { judgeMemory, mostGrowth } from "./verdict.ts";
import { Watcher } from "./watchers.ts";
import { Writers } from "./writers.ts";

interface Plan {
  readonly minutes: number;
  readonly writes: number;
  readonly watchers: number;
}

interface Scope {
  readonly resource: string;
  /** Empty for all. */
  readonly namespace: string;
}

const namespaceCount = 20;
/** One write in so many is of 1 MB: one a second at 500 a second. */
const largeEvery = 500;
const selector = "labelSelector=soak%3Dyes";
/** How long watchers may take for what was written last. */
const catchUpMs = 60_000;

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "60" },
      writes: { type: "string", default: "500" },
      watchers: { type: "string", default: "200" },
    },
  });
  const above0 = (name: keyof typeof values): number => {
    const value = Number(values[name]);
    if (value > 0 && Number.isFinite(value)) return value;
    console.error(`soak: --${name} must be a number above 0, not ${values[name]}`);
    process.exit(1);
  };
  return { minutes: above0("minutes"), writes: above0("writes"), watchers: above0("watchers") };
}

/** Nine of ten watch one namespace, of these a quarter pods; the others watch all of them. */
function scopeOf(number: number, namespaces: readonly string[]): Scope {
  const resource = number % 4 === 3 ? "pods" : "configmaps";
  const namespace = number % 10 === 9 ? "" : (namespaces[Math.floor(number / 4) % namespaces.length] ?? "");
  return { resource, namespace };
}

const collectionOf = ({ resource, namespace }: Scope) =>
  namespace === "" ? `/api/v1/${resource}` : `/api/v1/namespaces/${namespace}/${resource}`;

/** Namespaces with limits for pods, every fifth with a quota, and with the account that pods run as. */
async function prepare(asker: Asker, namespaces: readonly string[]): Promise<void> {
  const limits = [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } }];
  for (const [i, name] of namespaces.entries()) {
    const core = `/api/v1/namespaces/${name}`;
    const enforce = { "pod-security.kubernetes.io/enforce": "baseline" };
    const post = (path: string, body: object) => asker.askOrThrow({ method: "POST", path, body });
    await post("/api/v1/namespaces", { metadata: { name, labels: enforce } });
    await post(`${core}/limitranges`, { metadata: { name: "limits" }, spec: { limits } });
    const hard = { "count/configmaps": "1000", pods: "1000" };
    if (i % 5 === 0) await post(`${core}/resourcequotas`, { metadata: { name: "quota" }, spec: { hard } });
    for (;;) {
      const { code } = await asker.ask({ method: "GET", path: `${core}/serviceaccounts/default` });
      if (code === 200) break;
      await systemClock.sleep(50, never);
    }
  }
}

const never = new AbortController().signal;

async function openWatchers(up: UpProcess, asker: Asker, plan: Plan, namespaces: readonly string[]) {
  const open: { readonly scope: Scope; readonly watcher: Watcher }[] = [];
  for (let i = 0; i < plan.watchers; i++) {
    const scope = scopeOf(i, namespaces);
    const path = `${collectionOf(scope)}?${selector}`;
    const list = JSON.parse(await asker.askOrThrow({ method: "GET", path })) as {
      metadata: { resourceVersion: string };
    };
    const version = Number(list.metadata.resourceVersion);
    const timeoutSeconds = 300 + ((i * 37) % 300);
    open.push({ scope, watcher: new Watcher({ target: up.target, path, version, timeoutSeconds }) });
  }
  return open;
}

interface Sample extends Probed {
  readonly elapsedMs: number;
  readonly writes: number;
  readonly events: number;
}

function printSample(sample: Sample, before: Sample | undefined, facts: { watchers: number; objects: number }): string {
  const seconds = (sample.elapsedMs - (before?.elapsedMs ?? 0)) / 1000;
  const rate = (now: number, then = 0) => ((now - then) / seconds).toFixed(0);
  return [
    `${(sample.elapsedMs / 60_000).toFixed(1).padStart(5)} min`,
    `${rate(sample.writes, before?.writes)} writes/s`,
    `${facts.watchers} watchers`,
    `${rate(sample.events, before?.events)} events/s`,
    `${facts.objects} objects`,
    `live ${sample.liveMb.toFixed(0)} MB after GC`,
    `RSS ${sample.rssMb.toFixed(0)} MB`,
    `event loop p99 ${sample.delayP99Ms.toFixed(0)} ms, max ${sample.delayMaxMs.toFixed(0)} ms`,
  ].join(", ");
}

async function soak(plan: Plan): Promise<number> {
  await using up = await UpProcess.start(["--nodes=0", "--without-scheduler"]);
  const asker = new Asker(up.target, 64);
  const namespaces = Array.from({ length: namespaceCount }, (_, i) => `soak-${i}`);
  await prepare(asker, namespaces);
  const watching = await openWatchers(up, asker, plan, namespaces);
  const stopWatching = new AbortController();
  // Each watcher listens to it.
  setMaxListeners(0, stopWatching.signal);
  const stopWriting = new AbortController();
  const watched = Promise.all(watching.map(({ watcher }) => watcher.run(stopWatching.signal)));
  const writers = new Writers({
    asker,
    random: seededRandom(1),
    namespaces,
    writesPerSecond: plan.writes,
    largeEvery,
  });
  const writing = writers.run(stopWriting.signal);
  console.log(
    `soak: ${plan.writes} writes/s, one in ${largeEvery} of 1 MB, ${plan.watchers} watchers, ${plan.minutes} minutes; Node ${process.versions.node}`,
  );
  const samples = await sampleUntilOver({ up, plan, writers, watching });
  stopWriting.abort();
  await writing;
  const missing = await catchUp(watching, writers);
  stopWatching.abort();
  await watched;
  asker.close();
  return report({ plan, writers, watching, samples, missing, isOver: up.isOver });
}

type Watching = Awaited<ReturnType<typeof openWatchers>>;

interface Running {
  readonly up: UpProcess;
  readonly plan: Plan;
  readonly writers: Writers;
  readonly watching: Watching;
}

/** Each minute; a run of less than a quarter of an hour is divided by fifteen. */
async function sampleUntilOver({ up, plan, writers, watching }: Running): Promise<readonly Sample[]> {
  const begunMs = systemClock.monotonic();
  const everyMs = Math.min(60_000, (plan.minutes * 60_000) / 15);
  const samples: Sample[] = [];
  while (samples.length * everyMs < plan.minutes * 60_000 - 1 && !up.isOver) {
    await systemClock.sleep(begunMs + (samples.length + 1) * everyMs - systemClock.monotonic(), never);
    if (up.isOver) break;
    const probed = await up.probe();
    const elapsedMs = systemClock.monotonic() - begunMs;
    const events = watching.reduce((sum, { watcher }) => sum + watcher.events, 0);
    const sample = { ...probed, elapsedMs, writes: writers.done, events };
    const watchers = watching.filter(({ watcher }) => watcher.isOpen).length;
    console.log(printSample(sample, samples.at(-1), { watchers, objects: writers.objects }));
    samples.push(sample);
  }
  return samples;
}

/** Returns what watchers have not seen, a while after the last write. */
async function catchUp(watching: Watching, writers: Writers): Promise<readonly string[]> {
  const begunMs = systemClock.monotonic();
  for (;;) {
    const missing = watching.flatMap(({ scope: { resource, namespace }, watcher }, i) => {
      const why = watcher.fault ?? missedBy(watcher.tally, writers.tallyOf(resource, namespace));
      return why === undefined ? [] : [`watcher ${i} of ${resource} in ${namespace || "all namespaces"}: ${why}`];
    });
    if (missing.length === 0 || systemClock.monotonic() - begunMs > catchUpMs) return missing;
    await systemClock.sleep(100, never);
  }
}

interface Ended {
  readonly plan: Plan;
  readonly writers: Writers;
  readonly watching: Watching;
  readonly samples: readonly Sample[];
  readonly missing: readonly string[];
  /** Whether the server ended by itself. */
  readonly isOver: boolean;
}

/** Returns the exit code. */
function report({ plan, writers, watching, samples, missing, isOver }: Ended): number {
  const { elapsedMs = 1 } = samples.at(-1) ?? {};
  const resumed = watching.reduce((sum, { watcher }) => sum + watcher.resumed, 0);
  const rate = (writers.done * 1000) / elapsedMs;
  console.log(
    `reached ${rate.toFixed(0)} of ${plan.writes} writes/s; ${writers.done} writes, ${resumed} watches resumed`,
  );
  for (const [reason, count] of writers.refusals) console.log(`refused ${count} times: ${reason}`);
  if (writers.unknown > 0) console.log(`${writers.unknown} writes without an answer`);
  const memory = judgeMemory(samples.map(({ liveMb }) => liveMb));
  console.log(
    memory.kind === "too short"
      ? "memory: too few samples"
      : `memory: ${memory.kind} (${memory.secondMb.toFixed(0)} MB in the second third, ${memory.lastMb.toFixed(0)} MB in the last: ${memory.growth.toFixed(3)} ×, at most ${mostGrowth} ×)`,
  );
  console.log(missing.length === 0 ? `watchers: none of ${watching.length} missed anything` : "watchers: MISSED");
  for (const line of missing.slice(0, 20)) console.log(`  ${line}`);
  if (isOver) console.log("the server ended by itself");
  const isGood = memory.kind === "flat" && missing.length === 0 && !isOver && writers.unknown === 0;
  console.log(`verdict: ${isGood ? "flat, nothing missed" : "NOT GOOD"}`);
  return isGood ? 0 : 1;
}

process.exitCode = await soak(readPlan());
