// A cluster that listens, and a folder with its kubeconfig where `kubeloop up` would have put it: the commands find it there.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kubeloop/core/base";
import { nodeHost } from "@kubeloop/core/client";
import type { Cluster } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import { UsageError } from "../usage-error.ts";
import type { KubectlCommand } from "./commands.ts";
import { runKubectlCommand } from "./index.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly folder: string;
  /** Words are parted by spaces. */
  run(command: string, stdin?: string): Promise<Said>;
  /** Tells each piece of text when it is printed. */
  follow(command: string, onPrint: (text: string) => void, signal: AbortSignal): Promise<Said>;
}

export async function openKubectl(): Promise<Kubectl> {
  const cluster = await startCluster({ nodes: 1 });
  const folder = await mkdtemp(join(tmpdir(), "kubeloop-kubectl-"));
  await mkdir(join(folder, ".kubeloop"));
  await writeFile(join(folder, ".kubeloop", "kubeconfig"), (await cluster.listen()).kubeconfig);
  return {
    cluster,
    folder,
    run: (command, stdin = "") => runIn(folder, command.split(" "), stdin, cluster.signal),
    follow: (command, onPrint, signal) => runIn(folder, command.split(" "), "", signal, onPrint),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command in a folder, without anything of this machine's environment. */
export async function runIn(
  folder: string,
  [name = "", ...args]: readonly string[],
  stdin: string,
  signal: AbortSignal,
  onPrint: (text: string) => void = () => {},
): Promise<Said> {
  let [out, err] = ["", ""];
  const world = {
    host: { ...nodeHost, env: {}, cwd: () => folder, homedir: () => folder },
    clock: systemClock,
    print: (text: string) => {
      out += text;
      onPrint(text);
    },
    complain: (text: string) => {
      err += text;
    },
    readStdin: async () => stdin,
  };
  try {
    const code = await runKubectlCommand(name as KubectlCommand, args, world, signal);
    return { code, out, err };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: 1, out, err: `kubeloop: ${error.message}\n` };
  }
}
