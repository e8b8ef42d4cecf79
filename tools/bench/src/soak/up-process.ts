// `kubeloop up` in a process and a folder of its own, with a probe inside.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseKubeconfig } from "@kubeloop/core/client";
import { repositoryRoot } from "../repository.ts";
import type { Target } from "./ask.ts";
import type { Probed } from "./probe.ts";

const cli = join(repositoryRoot, "packages/kubeloop/dist/bundle/esm/cli.js");

export class UpProcess implements AsyncDisposable {
  readonly target: Target;
  /** Its path. */
  readonly kubeconfig: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #isOver = false;

  private constructor(child: ChildProcess, folder: string, kubeconfig: string, target: Target) {
    this.kubeconfig = kubeconfig;
    this.#child = child;
    this.#folder = folder;
    this.target = target;
    child.once("exit", () => {
      this.#isOver = true;
    });
  }

  /** With these options besides those that it needs. */
  static async start(options: readonly string[]): Promise<UpProcess> {
    const folder = mkdtempSync(join(tmpdir(), "kubeloop-soak-"));
    const probe = pathToFileURL(join(import.meta.dirname, "probe.js")).href;
    const args = [
      "--expose-gc",
      "--import",
      probe,
      cli,
      "up",
      "--json",
      ...(options.some((option) => option.startsWith("--kubeconfig")) ? [] : ["--port=0"]),
      ...options,
    ];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit", "ipc"] });
    if (child.stdout === null) throw new Error("kubeloop up has no output");
    const lines = createInterface({ input: child.stdout });
    const ready = new Promise<string>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`kubeloop up ended with ${code}`)));
      lines.on("line", (line) => {
        const { event, kubeconfig } = JSON.parse(line) as { readonly event?: string; readonly kubeconfig?: string };
        // The rest of what it prints are warnings, which belong to whoever reads the run.
        if (event === "ready" && kubeconfig !== undefined) resolve(kubeconfig);
        else console.error(line);
      });
    });
    const kubeconfig = await ready;
    return new UpProcess(child, folder, kubeconfig, await readTarget(kubeconfig));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async probe(): Promise<Probed> {
    const answer = once(this.#child, "message");
    this.#child.send("probe");
    const [probed] = (await answer) as [Probed];
    return probed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) {
      const exit = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await exit;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function readTarget(path: string): Promise<Target> {
  const { clusters = [], users = [] } = await parseKubeconfig(readFileSync(path, "utf8"));
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  return { url: server, ca: Buffer.from(ca, "base64").toString("utf8"), token: users[0]?.user?.token ?? "" };
}
