// `kubeloop kubectl …`: the kubectl of this machine, on the cluster of `kubeloop up` in this folder. Streams, signals and the exit code
// pass through.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { onAbort } from "@kubeloop/core/base";
import { type Host, nodeHost } from "@kubeloop/core/client";
import { UsageError } from "../usage-error.ts";
import { ownKubeconfig } from "./open-cluster.ts";

/** Returns kubectl's exit code. A machine without kubectl is a UsageError. */
export async function runKubectl(
  args: readonly string[],
  signal: AbortSignal,
  host: Pick<Host, "env" | "cwd" | "readFile"> = nodeHost,
): Promise<number> {
  const own = await ownKubeconfig(host, signal);
  const env = hasKubeconfig(args) || own === undefined ? host.env : { ...host.env, KUBECONFIG: own };
  const child = spawn("kubectl", args, { stdio: "inherit", env });
  using _ = onAbort(signal, () => {
    const name = signal.reason instanceof Error ? signal.reason.message : "";
    // A terminal sends Ctrl-C to both of us.
    if (name === "SIGINT" && process.stdin.isTTY) return;
    child.kill(name === "SIGINT" ? "SIGINT" : "SIGTERM");
  });
  return await new Promise<number>((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ENOENT" ? new UsageError(howToGet) : error),
    );
    child.on("exit", (code, ended) => resolve(code ?? 128 + (ended === null ? 0 : constants.signals[ended])));
  });
}

function hasKubeconfig(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--kubeconfig" || arg.startsWith("--kubeconfig="));
}

const howToGet =
  "kubectl: there is no kubectl on PATH; https://kubernetes.io/docs/tasks/tools/ says how to get one, and `kubeloop help` lists what works without";
