// What `kubeloop generate` needs of the world outside, and the world of a Node process. Its failures are sentences.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { isNotFound } from "@kubeloop/core/api";
import { KubeloopError, systemClock, timeoutSignal } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, nodeHost, openClient } from "@kubeloop/core/client";
import { customResourceDefinitions } from "@kubeloop/core/resources";
import { chooseKubeconfig } from "../choose-kubeconfig.ts";
import { UsageError } from "../usage-error.ts";
import { type Crd, decodeCrd } from "./crd.ts";

export interface ClusterChoice {
  readonly path: string | undefined;
  readonly context: string | undefined;
}

export interface GenerateWorld {
  /** A file's text; of standard input for "-". */
  read(path: string): Promise<string>;
  /** Makes the folders on the way. */
  write(path: string, content: string): Promise<void>;
  fetchCrds(names: readonly string[], cluster: ClusterChoice, signal: AbortSignal): Promise<readonly Crd[]>;
}

const fetchTimeoutMs = 30_000;

export const nodeWorld: GenerateWorld = {
  async read(path) {
    try {
      return path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
    } catch (cause) {
      throw new UsageError(`cannot read ${path}: ${messageOf(cause)}`);
    }
  },

  async write(path, content) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    } catch (cause) {
      throw new UsageError(`cannot write ${path}: ${messageOf(cause)}`);
    }
  },

  async fetchCrds(names, { path, context }, signal) {
    const what = "reading CustomResourceDefinitions from the cluster";
    using limit = timeoutSignal(signal, fetchTimeoutMs, { clock: systemClock, what });
    try {
      const chosen = await chooseKubeconfig(path, nodeHost, limit.signal);
      const choice = {
        ...(chosen === undefined ? {} : { path: chosen }),
        ...(context === undefined ? {} : { context }),
      };
      await using client = openClient(await loadClusterConfig(choice, limit.signal));
      return await fetchFrom(client, names, limit.signal);
    } catch (cause) {
      if (cause instanceof KubeloopError) throw new UsageError(`${what}: ${cause.message}`);
      throw cause;
    }
  },
};

/** From a server that a client is open to. */
export async function fetchFrom(
  client: Client,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly Crd[]> {
  const crds: Crd[] = [];
  for (const name of names) {
    try {
      crds.push(decodeCrd(await client.resource(customResourceDefinitions).get(name, signal), "the server"));
    } catch (error) {
      if (isNotFound(error)) throw new UsageError(`the server has no CustomResourceDefinition ${JSON.stringify(name)}`);
      throw error;
    }
  }
  return crds;
}

function messageOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return "no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "permission denied";
  return cause instanceof Error ? cause.message : String(cause);
}
