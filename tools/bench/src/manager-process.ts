// A controller manager as a process of its own, for the bench: started with the flags that both programs share, and its processor time and
// memory read from /proc (Linux only).
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
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
}

export interface ProcessCost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
  /** Since the process began. */
  readonly peakRssMb: number;
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
  readonly #beganMs = systemClock.monotonic();
  #printed = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#printed = (this.#printed + chunk.toString("utf8")).slice(-4000);
    });
  }

  static async start([program = "", ...args]: readonly string[], start: ManagerStart): Promise<ManagerProcess> {
    const flags = [
      `--kubeconfig=${start.kubeconfig}`,
      `--authentication-kubeconfig=${start.kubeconfig}`,
      `--authorization-kubeconfig=${start.kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--controllers=${start.controllers.join(",")}`,
      `--root-ca-file=${start.rootCa}`,
      `--service-account-private-key-file=${start.serviceAccountKey}`,
      "--kube-api-qps=5000",
      "--kube-api-burst=10000",
      "--concurrent-gc-syncs=20",
    ];
    return new ManagerProcess(spawn(program, [...args, ...flags], { stdio: ["ignore", "ignore", "pipe"] }));
  }

  /** How long after the process began this came true. Throws if the process ends before. */
  async since(isSo: () => Promise<boolean>): Promise<number> {
    const lastMs = systemClock.monotonic() + patienceMs;
    while (!(await isSo())) {
      if (this.#child.exitCode !== null) throw new Error(`the manager ended:\n${this.#printed}`);
      if (systemClock.monotonic() > lastMs)
        throw new Error(`nothing came of it in ${patienceMs / 1000} s:\n${this.#printed}`);
      await systemClock.sleep(lookEveryMs, neverAborted);
    }
    return systemClock.monotonic() - this.#beganMs;
  }

  async during(work: () => Promise<void>): Promise<ProcessCost> {
    const beganMs = systemClock.monotonic();
    const cpuBefore = this.#cpuMs();
    await work();
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) / 1024;
    return {
      wallMs: systemClock.monotonic() - beganMs,
      cpuMs: this.#cpuMs() - cpuBefore,
      rssMb: megabytes("VmRSS"),
      peakRssMb: megabytes("VmHWM"),
    };
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
