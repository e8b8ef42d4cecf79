// Runs the real kubectl of the tests.
import { spawn } from "node:child_process";
import { findBinaries, pathOf } from "@kubeloop/real-cluster";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Kubectl = (args: readonly string[], input?: string) => Promise<Ran>;

/** For the cluster of this kubeconfig. Whatever the exit code, it resolves. */
export async function kubectlFor(kubeconfig: string, signal: AbortSignal): Promise<Kubectl> {
  const program = pathOf(await findBinaries(["kubectl"], {}, signal), "kubectl");
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return async (args, input = "") => {
    const child = spawn(program, args, { env, signal });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return await new Promise<Ran>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
  };
}
