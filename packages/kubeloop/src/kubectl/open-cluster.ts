// The cluster that a command speaks to: the one of --kubeconfig, else of KUBECONFIG, else of `kubeloop up` in this folder, else the one
// that kubectl would take.
import { join } from "node:path";
import { isAborted, type Log, noLog } from "@kubeloop/core/base";
import { type Client, type Host, loadClusterConfig, openClient } from "@kubeloop/core/client";
import type { FlagValues } from "./flags.ts";
import type { KubectlWorld } from "./world.ts";

export const clusterFlags = {
  kubeconfig: { type: "text" },
  context: { type: "text" },
  cluster: { type: "text" },
  user: { type: "text" },
  server: { type: "text", short: "s" },
  namespace: { type: "text", short: "n" },
  help: { type: "switch", short: "h" },
} as const;

export type ClusterFlags = FlagValues<typeof clusterFlags>;

export interface OpenCluster {
  readonly client: Client;
  /** Host and port, for complaints. */
  readonly server: string;
  /** The one of --namespace, else of the context. */
  readonly namespace: string;
  readonly isNamespaceGiven: boolean;
}

export async function openCluster(
  flags: ClusterFlags,
  world: KubectlWorld,
  signal: AbortSignal,
): Promise<OpenCluster & AsyncDisposable> {
  const { host, clock } = world;
  const path =
    flags.kubeconfig ?? ((host.env["KUBECONFIG"] ?? "") === "" ? await ownKubeconfig(host, signal) : undefined);
  const log = warningsTo(world);
  const given = { path, ...pick(flags, "context", "cluster", "user", "server", "namespace") };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  const config = await loadClusterConfig({ ...present, host, clock, log: noLog }, signal);
  const client = openClient(config, { clock, log, userAgent: "kubectl/kubeloop" });
  const { namespace } = config;
  const isNamespaceGiven = (flags.namespace ?? "") !== "";
  const server = new URL(config.server).host;
  return { client, server, namespace, isNamespaceGiven, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** The kubeconfig that `kubeloop up` writes into this folder, if it is there. */
export async function ownKubeconfig(
  host: Pick<Host, "cwd" | "readFile">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = join(host.cwd(), ".kubeloop", "kubeconfig");
  try {
    await host.readFile(path, signal);
    return path;
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    return undefined;
  }
}

/** The server's warnings as kubectl prints them; nothing else is of interest to a person at a terminal. */
function warningsTo(world: KubectlWorld): Log {
  const log: Log = {
    ...noLog,
    warn(message, fields) {
      if (message === "server warning") world.complain(`Warning: ${String(fields?.["text"])}\n`);
    },
    with: () => log,
  };
  return log;
}

function pick<T extends object, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}
