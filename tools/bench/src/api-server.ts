// The embedded server against a real kube-apiserver with etcd, each under the same load from the same generator, one after the other:
// start, memory, and requests a second over TLS and HTTP/1.1.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "@kubeloop/core/base";
import { RealCluster } from "@kubeloop/real-cluster";
import type { Measurement } from "./budget.ts";

type Rates = Readonly<Record<string, number>>;

interface Measured {
  readonly startMs: number;
  readonly rssMb: number;
  readonly rates: Rates;
  readonly note: string;
}

const budgets: readonly (readonly [string, string, number])[] = [
  ["getJson", "gets/s, JSON", 2],
  ["listJson", "lists of 1,000/s, JSON", 2],
  ["fanOutJson", "watch messages/s to 100 watchers, JSON", 2],
  ["createMapJson", "creates/s of a 2 KB ConfigMap, JSON", 2],
  ["createDeploymentJson", "creates/s of a 5 KB Deployment, JSON", 2],
  ["createPodJson", "creates/s of a 5 KB Pod, JSON", 2],
  ["createLimitedPodJson", "creates/s of a 5 KB Pod under a quota and a limit range, JSON", 2],
  ["getProtobuf", "gets/s, protobuf", 1],
  ["listProtobuf", "lists of 1,000/s, protobuf", 1],
  ["fanOutProtobuf", "watch messages/s to 100 watchers, protobuf", 1],
  ["createMapProtobuf", "creates/s of a 2 KB ConfigMap, protobuf", 1],
  ["createDeploymentProtobuf", "creates/s of a 5 KB Deployment, protobuf", 1],
  ["createPodProtobuf", "creates/s of a 5 KB Pod, protobuf", 1],
];

export async function measureApiServer(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), "kubeloop-bench-"));
  try {
    const theirs = await measureTheirs(folder);
    const ours = await measureOurs(folder);
    console.log(`embedded server, event loop held up under that load: ${ours.note}`);
    const against = "against kube-apiserver and etcd";
    return [
      {
        what: `embedded server, cold start to ready ${against}`,
        measured: ours.startMs / theirs.startMs,
        limit: 0.3,
        bound: "at most",
        unit: " ×",
        detail: `${ours.startMs.toFixed(0)} of ${theirs.startMs.toFixed(0)} ms`,
      },
      {
        what: `embedded server, resident memory when empty ${against}`,
        measured: ours.rssMb / theirs.rssMb,
        limit: 0.4,
        bound: "at most",
        unit: " ×",
        detail: `${ours.rssMb.toFixed(0)} of ${theirs.rssMb.toFixed(0)} MB`,
      },
      ...budgets.map(([name, what, limit]): Measurement => {
        const [own = 0, other = 0] = [ours.rates[name], theirs.rates[name]];
        const detail = `${own.toFixed(0)} against ${other.toFixed(0)}`;
        return {
          what: `embedded server, ${what} ${against}`,
          measured: own / other,
          limit,
          bound: "at least",
          unit: " ×",
          detail,
        };
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureTheirs(folder: string): Promise<Measured> {
  const signal = new AbortController().signal;
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  const cluster = await RealCluster.start({ extraFlags }, signal);
  try {
    const rssMb = residentMb("kube-apiserver", cluster.folder) + residentMb("etcd", cluster.folder);
    const rates = await load(folder, { url: cluster.url, token: cluster.adminToken, ca: cluster.caPem });
    return { startMs: cluster.startedInMs, rssMb, rates, note: "" };
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
}

async function measureOurs(folder: string): Promise<Measured> {
  const start = systemClock.monotonic();
  const program = join(import.meta.dirname, "api-server-run.js");
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = JSON.parse((await lines.next()).value as string) as {
    readonly url: string;
    readonly token: string;
    readonly ca: string;
    readonly rssMb: number;
  };
  const startMs = systemClock.monotonic() - start;
  const rates = await load(folder, ready);
  child.kill("SIGUSR2");
  const { p99Ms, maxMs } = JSON.parse((await lines.next()).value as string) as { p99Ms: number; maxMs: number };
  child.kill();
  await once(child, "exit");
  return { startMs, rssMb: ready.rssMb, rates, note: `${p99Ms.toFixed(1)} ms, at most ${maxMs.toFixed(0)} ms` };
}

async function load(folder: string, target: object): Promise<Rates> {
  const path = join(folder, "target.json");
  writeFileSync(path, JSON.stringify(target), { mode: 0o600 });
  const child = spawn(process.execPath, [join(import.meta.dirname, "api-server-load.js"), path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString("utf8");
  });
  const [code] = (await once(child, "exit")) as [number];
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  return JSON.parse(printed) as Rates;
}

/** Of a component of this cluster: whose command line names the cluster's folder. */
function residentMb(name: string, folder: string): number {
  let sum = 0;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const isIt = words.split("\0")[0]?.endsWith(name) === true && words.includes(folder);
      const status = isIt ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
      sum += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      // Gone in the meantime.
    }
  }
  return sum;
}
