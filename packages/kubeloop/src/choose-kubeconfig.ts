// The one rule by which every command that speaks to a cluster finds its kubeconfig: the file of --kubeconfig, else those of KUBECONFIG,
// else that of `kubeloop up` in this folder, else the one that kubectl would take. An empty text is as good as none.
import { join } from "node:path";
import { isAborted } from "@kubeloop/core/base";
import type { Host } from "@kubeloop/core/client";

type FolderAndEnvironment = Pick<Host, "env" | "cwd" | "readFile">;

/** Returns a file; undefined leaves it to KUBECONFIG and to kubectl's own places. */
export async function chooseKubeconfig(
  given: string | undefined,
  host: FolderAndEnvironment,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (given !== undefined && given !== "") return given;
  if ((host.env["KUBECONFIG"] ?? "") !== "") return undefined;
  return await ownKubeconfig(host, signal);
}

/** The kubeconfig that `kubeloop up` writes into this folder, if it is there. */
async function ownKubeconfig(host: FolderAndEnvironment, signal: AbortSignal): Promise<string | undefined> {
  const path = join(host.cwd(), ".kubeloop", "kubeconfig");
  try {
    await host.readFile(path, signal);
    return path;
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    return undefined;
  }
}
