// `kubeloop up`: the API server on a port of this machine and the controller manager in the same process, with a kubeconfig beside them, until
// it is told to stop. Scheduler and nodes will join them here.
//
// Promises: whatever keeps it from starting is one sentence and exit code 1; what it starts it also ends, in order, also when its
// terminal goes away. The kubeconfig goes with the server it leads to, even if the process has to exit at once. Authority, token and the end of
// the resource versions are kept (kept-state.ts): a client of the last run on this port goes on with this one, and what it knows of the past has
// expired. One `up` per folder: the second says so and ends.
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  ApiServer,
  type ApiServerOptions,
  kubernetesVersion,
  type Listening,
  MemoryStorage,
} from "@kubeloop/apiserver";
import {
  type Clock,
  childSignal,
  deferred,
  jsonLineLog,
  type Log,
  noLog,
  onAbort,
  TaskScope,
  toError,
} from "@kubeloop/core/base";
import { type Kubeconfig, printKubeconfig } from "@kubeloop/core/client";
import { kubeloopVersion } from "../version.ts";
import { type KeptState, openKeptState } from "./kept-state.ts";
import { openOwnFolder } from "./own-folder.ts";
import { putKubeconfig, removeKubeconfig, requireNoOther } from "./own-kubeconfig.ts";
import { ReservedStorage } from "./reserved-storage.ts";
import { type ManagerOfUp, newManagerOfUp } from "./run-manager.ts";
import { SharedInformers } from "./shared-informers.ts";
import { listenFault, pluginFault } from "./start-faults.ts";
import type { UpOptions } from "./up-options.ts";

export interface UpWorld {
  /** Where `.kubeloop` goes. */
  readonly folder: string;
  readonly clock: Clock;
  /** Tells of SIGHUP and of the exit: this process unless given. */
  readonly host?: UpHost;
  print(text: string): void;
  complain(text: string): void;
}

export interface UpHost {
  on(event: "SIGHUP" | "exit", listener: () => void): unknown;
  off(event: "SIGHUP" | "exit", listener: () => void): unknown;
}

const noManager: ManagerOfUp = { controllers: [], run: async () => {} };

/** Runs until the signal aborts, or the terminal goes away. */
export async function up(options: UpOptions, world: UpWorld, signal: AbortSignal): Promise<void> {
  const { clock, host = process } = world;
  const begunMs = clock.monotonic();
  const { output } = options;
  using life = childSignal(signal);
  using _hangUp = hear(host, "SIGHUP", () => life.abort());
  const folder = join(world.folder, ".kubeloop");
  const path = join(folder, "kubeconfig");
  await requireNoOther(path, clock, life.signal);
  if (life.signal.aborted) return;
  await openOwnFolder(folder);
  const kept = await openKeptState(join(folder, "state.json"), clock);
  if (kept.complaint !== undefined) world.complain(`kubeloop: ${kept.complaint}\n`);
  const log = logFor(output, world);
  const storage = new ReservedStorage(new MemoryStorage({ firstRevision: kept.firstRevision, log }), kept);
  await using server = await openServer(options, { log, storage });
  const listening = await listenOn(server, options.port, kept);
  const caFile = join(folder, "ca.crt");
  await writeFile(caFile, listening.admin.caPem ?? "");
  const informers = new SharedInformers({ server, clock, log });
  const manager =
    options.withoutManager === true ? noManager : await newManagerOfUp({ server, informers, caFile, log });
  const own = { path, port: listening.port, content: await printKubeconfig(kubeconfigFor(listening)) };
  // Somebody may not wait: a second Ctrl-C, a reader of the output that has gone.
  using _exit = hear(host, "exit", () => {
    try {
      removeKubeconfig(own);
    } catch (error) {
      world.complain(`kubeloop: ${toError(error).message}\n`);
    }
  });
  await putKubeconfig(own, clock, life.signal);
  try {
    if (life.signal.aborted) return;
    const running = new TaskScope(life.signal);
    const caching = new AbortController();
    void running.spawn(() => informers.run(caching.signal));
    const managing = running.spawn((each) => manager.run(each));
    tellReady({ listening, path, manager, tookMs: clock.monotonic() - begunMs }, output, world);
    const stop = deferred();
    using _stopping = onAbort(running.signal, () => stop.resolve());
    await stop.promise;
    // Without a terminal nobody is left to read it.
    if (signal.aborted) tellStopping(output, world);
    // The caches outlive the controllers: a key that is being finished may read them once more.
    await Promise.allSettled([managing]);
    caching.abort();
    await running.join();
  } finally {
    await listening[Symbol.asyncDispose]();
    // It would lead nowhere from here on.
    removeKubeconfig(own);
  }
}

async function openServer(options: UpOptions, parts: ApiServerOptions): Promise<ApiServer> {
  const { enableAdmissionPlugins: asked = [], disableAdmissionPlugins = [] } = options;
  // ServiceAccount is on as upstream: the controller that makes the accounts runs beside the server.
  const enableAdmissionPlugins = disableAdmissionPlugins.includes(accounts) ? asked : [accounts, ...asked];
  try {
    return await ApiServer.open({ ...parts, enableAdmissionPlugins, disableAdmissionPlugins });
  } catch (error) {
    throw pluginFault(error);
  }
}

const accounts = "ServiceAccount";

function hear(host: UpHost, event: "SIGHUP" | "exit", listener: () => void): Disposable {
  host.on(event, listener);
  return { [Symbol.dispose]: () => void host.off(event, listener) };
}

async function listenOn(server: ApiServer, port: number, { authority, token }: KeptState): Promise<Listening> {
  try {
    return await server.listen({ port, authority, token });
  } catch (error) {
    throw listenFault(error, port);
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

function tellStopping(output: UpOptions["output"], { print }: UpWorld): void {
  if (output === "text") print("\nstopping\n");
  if (output === "json") print(`${JSON.stringify({ event: "stopping" })}\n`);
}

interface Ready {
  readonly listening: Listening;
  readonly path: string;
  readonly manager: ManagerOfUp;
  readonly tookMs: number;
}

function tellReady(
  { listening, path, manager, tookMs }: Ready,
  output: UpOptions["output"],
  { print, folder }: UpWorld,
): void {
  const { url } = listening;
  switch (output) {
    case "quiet":
      return;
    case "json":
      print(
        `${JSON.stringify({
          event: "ready",
          server: url,
          kubeconfig: path,
          controllers: manager.controllers,
          tookMs: Math.round(tookMs),
        })}\n`,
      );
      return;
    case "text": {
      const shown = `./${relative(folder, path)}`;
      print(`kubeloop ${kubeloopVersion}: Kubernetes ${kubernetesVersion.gitVersion} API, ready in ${(tookMs / 1000).toFixed(1)} s

  server      ${url}
  kubeconfig  ${shown}
  controllers ${manager.controllers.map((name) => name.replace(/-controller$/, "")).join(", ") || "none"}

Try:
  export KUBECONFIG="$PWD/.kubeloop/kubeconfig"
  kubectl create namespace shop && kubectl get configmaps --namespace shop

No scheduler or nodes yet: pods stay Pending. Ctrl-C stops.
`);
    }
  }
}
