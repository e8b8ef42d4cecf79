// The cluster that a command speaks to: that of its kubeconfig, with what the flags change.
import { type Log, noLog } from "@kubeloop/core/base";
import { type Client, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { chooseKubeconfig } from "../choose-kubeconfig.ts";
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
  const path = await chooseKubeconfig(flags.kubeconfig, host, signal);
  const log = warningsTo(world);
  const given = { path, ...pick(flags, "context", "cluster", "user", "server", "namespace") };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
  const config = await loadClusterConfig({ ...present, host, clock, log: noLog }, signal);
  // As kubectl asks. Protobuf would leave out the fields of a newer server that this version does not know.
  const client = openClient(config, { clock, log, userAgent: "kubectl/kubeloop", encoding: "json" });
  const { namespace } = config;
  const isNamespaceGiven = (flags.namespace ?? "") !== "";
  const server = new URL(config.server).host;
  return { client, server, namespace, isNamespaceGiven, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
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
