// A controller manager as a process of its own, for the bench: started with the flags that both programs share, its processor time and memory
// read from /proc (Linux only), its requests from its own /metrics.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";

export interface ManagerFiles {
  readonly rootCa: string;
  readonly serviceAccountKey: string;
}

export interface ManagerStart extends ManagerFiles {
  readonly kubeconfig: string;
  /** As `--controllers` takes them. */
  readonly controllers: readonly string[];
  /** Beside our own environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ProcessCost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The most since this began. */
  readonly peakRssMb: number;
  /** Requests that create, change or delete. */
  readonly writes: number;
}

const neverAborted = new AbortController().signal;
const lookEveryMs = 20;
const patienceMs = 300_000;
/** Of user and system time in /proc: USER_HZ, which is 100 on every Linux that Node runs on. */
const msPerTick = 10;

export function writeManagerFiles(folder: string, caPem: string): ManagerFiles {
  const files = { rootCa: join(folder, "ca.crt"), serviceAccountKey: join(folder, "service-account.key") };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(files.rootCa, caPem);
  writeFileSync(files.serviceAccountKey, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  return files;
}

export class ManagerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #beganMs = systemClock.monotonic();
  #printed = "";

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#printed = (this.#printed + chunk.toString("utf8")).slice(-4000);
    });
  }

  static async start([program = "", ...args]: readonly string[], start: ManagerStart): Promise<ManagerProcess> {
    const port = await freePort();
    const flags = [
      `--kubeconfig=${start.kubeconfig}`,
      `--authentication-kubeconfig=${start.kubeconfig}`,
      `--authorization-kubeconfig=${start.kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      "--authorization-always-allow-paths=/metrics",
      `--controllers=${start.controllers.join(",")}`,
      `--root-ca-file=${start.rootCa}`,
      `--service-account-private-key-file=${start.serviceAccountKey}`,
      "--kube-api-qps=5000",
      "--kube-api-burst=10000",
      "--concurrent-gc-syncs=20",
    ];
    const env = { ...process.env, ...start.env };
    return new ManagerProcess(spawn(program, [...args, ...flags], { env, stdio: ["ignore", "ignore", "pipe"] }), port);
  }

  /** How long after the process began this came true. Throws if the process ends before. */
  async since(isSo: () => Promise<boolean>, everyMs = lookEveryMs): Promise<number> {
    const lastMs = systemClock.monotonic() + patienceMs;
    while (!(await isSo())) {
      if (this.#child.exitCode !== null) throw new Error(`the manager ended:\n${this.#printed}`);
      if (systemClock.monotonic() > lastMs)
        throw new Error(`nothing came of it in ${patienceMs / 1000} s:\n${this.#printed}`);
      await systemClock.sleep(everyMs, neverAborted);
    }
    return systemClock.monotonic() - this.#beganMs;
  }

  async during(work: () => Promise<void>): Promise<ProcessCost> {
    const writesBefore = await this.#writes();
    // The peak begins anew.
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, "5");
    const beganMs = systemClock.monotonic();
    const cpuBefore = this.#cpuMs();
    await work();
    const wallMs = systemClock.monotonic() - beganMs;
    const cpuMs = this.#cpuMs() - cpuBefore;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024;
    return {
      wallMs,
      cpuMs,
      rssMb: megabytes("VmRSS"),
      peakRssMb: megabytes("VmHWM"),
      writes: (await this.#writes()) - writesBefore,
    };
  }

  async #writes(): Promise<number> {
    let count = 0;
    for (const line of (await fetchMetrics(this.#port)).split("\n")) {
      if (/^rest_client_requests_total\{.*method="(POST|PUT|PATCH|DELETE)"/.test(line))
        count += Number(line.slice(line.lastIndexOf(" ")));
    }
    return count;
  }

  /** Returns when it has ended by itself. */
  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  #cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; utime and stime are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The certificate is the manager's own, which nobody knows. */
function fetchMetrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/metrics", rejectUnauthorized: false };
    const asked = request(options, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString("utf8");
      if (response.statusCode === 200) resolve(text);
      else reject(new Error(`/metrics answered ${response.statusCode}: ${text}`));
    });
    asked.once("error", reject);
    asked.end();
  });
}
