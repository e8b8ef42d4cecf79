// `kubeloop up`: the API server on a port of this machine, with a kubeconfig beside it, until it is told to stop. Controllers, scheduler and
// nodes will join it here.
//
// Promises: whatever keeps it from starting is one sentence and exit code 1; what it starts it also ends, in order, and the
// kubeconfig goes with the server it leads to.
import { mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { ApiServer, kubernetesVersion, type Listening } from "@kubeloop/apiserver";
import { type Clock, deferred, jsonLineLog, KubeloopError, type Log, noLog, onAbort } from "@kubeloop/core/base";
import { type Kubeconfig, writeKubeconfig } from "@kubeloop/core/client";
import { UsageError } from "../usage-error.ts";
import { kubeloopVersion } from "../version.ts";
import type { UpOptions } from "./up-options.ts";

export interface UpWorld {
  /** Where `.kubeloop` goes. */
  readonly folder: string;
  readonly clock: Clock;
  print(text: string): void;
  complain(text: string): void;
}

/** Runs until the signal aborts. */
export async function up(options: UpOptions, world: UpWorld, signal: AbortSignal): Promise<void> {
  const { clock } = world;
  const begunMs = clock.monotonic();
  const { output } = options;
  await using server = await ApiServer.open({ log: logFor(output, world) });
  const listening = await listenOn(server, options.port);
  const folder = join(world.folder, ".kubeloop");
  const path = join(folder, "kubeconfig");
  await mkdir(folder, { recursive: true });
  await writeKubeconfig(path, kubeconfigFor(listening), {}, signal);
  try {
    tellReady({ listening, path, tookMs: clock.monotonic() - begunMs }, output, world);
    const stop = deferred();
    using _stopping = onAbort(signal, () => stop.resolve());
    await stop.promise;
    if (output === "text") world.print("\nstopping\n");
    if (output === "json") world.print(`${JSON.stringify({ event: "stopping" })}\n`);
  } finally {
    await listening[Symbol.asyncDispose]();
    // It would lead nowhere from here on.
    await rm(path, { force: true });
  }
}

async function listenOn(server: ApiServer, port: number): Promise<Listening> {
  try {
    return await server.listen({ port });
  } catch (error) {
    if (!(error instanceof KubeloopError) || error.reason !== "PortTaken") throw error;
    throw new UsageError(`up: ${error.message}; choose another with --port, or --port 0 for any that is free`);
  }
}

/** Warnings and worse, for people on standard error, for programs beside everything else. */
function logFor(output: UpOptions["output"], { print, complain, clock }: UpWorld): Log {
  if (output === "quiet") return noLog;
  const tell = output === "json" ? print : complain;
  return jsonLineLog({ write: (line) => tell(`${line}\n`), now: () => clock.now(), level: "warn" });
}

function kubeconfigFor({ url, admin }: Listening): Kubeconfig {
  const base64 = (text: string | undefined) => Buffer.from(text ?? "", "utf8").toString("base64");
  const cluster = { server: url, "certificate-authority-data": base64(admin.caPem) };
  const user = {
    token: admin.token,
    "client-certificate-data": base64(admin.certPem),
    "client-key-data": base64(admin.keyPem),
  };
  return {
    clusters: [{ name: "kubeloop", cluster }],
    users: [{ name: "kubeloop-admin", user }],
    contexts: [{ name: "kubeloop", context: { cluster: "kubeloop", user: "kubeloop-admin" } }],
    "current-context": "kubeloop",
  };
}

function tellReady(
  { listening, path, tookMs }: { listening: Listening; path: string; tookMs: number },
  output: UpOptions["output"],
  { print, folder }: UpWorld,
): void {
  const { url } = listening;
  switch (output) {
    case "quiet":
      return;
    case "json":
      print(`${JSON.stringify({ event: "ready", server: url, kubeconfig: path, tookMs: Math.round(tookMs) })}\n`);
      return;
    case "text": {
      const shown = `./${relative(folder, path)}`;
      print(`kubeloop ${kubeloopVersion}: Kubernetes ${kubernetesVersion.gitVersion} API, ready in ${(tookMs / 1000).toFixed(1)} s

  server      ${url}
  kubeconfig  ${shown}

Try:
  export KUBECONFIG="$PWD/.kubeloop/kubeconfig"
  kubectl create configmap hello --from-literal=a=b && kubectl get configmaps

No controllers, scheduler or nodes yet: objects are stored and watched, nothing acts on them. Ctrl-C stops.
`);
    }
  }
}
