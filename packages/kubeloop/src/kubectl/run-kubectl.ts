// `kubeloop kubectl …`: the kubectl of this machine, on the cluster that the other commands would speak to: see choose-kubeconfig.ts.
// Streams, signals and the exit code pass through.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { onAbort } from "@kubeloop/core/base";
import { type Host, nodeHost } from "@kubeloop/core/client";
import { chooseKubeconfig } from "../choose-kubeconfig.ts";
import { UsageError } from "../usage-error.ts";

/** Returns kubectl's exit code. A machine without kubectl is a UsageError. */
export async function runKubectl(
  args: readonly string[],
  signal: AbortSignal,
  host: Pick<Host, "env" | "cwd" | "readFile"> = nodeHost,
): Promise<number> {
  const path = await chooseKubeconfig(givenKubeconfig(args), host, signal);
  // A file that is given in the arguments reaches kubectl there.
  const env = path === undefined ? host.env : { ...host.env, KUBECONFIG: path };
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

/** The last one counts; behind `--` are the arguments of somebody else. */
function givenKubeconfig(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const given = own.flatMap((arg, at) => {
    if (arg === "--kubeconfig") return own[at + 1] ?? [];
    return arg.startsWith("--kubeconfig=") ? arg.slice("--kubeconfig=".length) : [];
  });
  return given.at(-1);
}

const howToGet =
  "kubectl: there is no kubectl on PATH; https://kubernetes.io/docs/tasks/tools/ says how to get one, and `kubeloop help` lists what works without";
