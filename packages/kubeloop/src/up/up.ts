// `kubeloop up`: the API server on a port of this machine, with controller manager, scheduler and hollow nodes in the same process and a kubeconfig
// beside them, until it is told to stop.
//
// Promises: whatever keeps it from starting is one sentence and exit code 1; what it starts it also ends, in order, also when its
// terminal goes away. The kubeconfig goes with the server it leads to, even if the process has to exit at once. Authority, token and the end of
// the resource versions are kept (kept-state.ts): a client of the last run on this port goes on with this one, and what it knows of the past has
// expired. One `up` per folder: the second says so and ends. Whoever has read the ready line can create pods, and they run.
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ApiServer, type ApiServerOptions, type Listening, MemoryStorage } from "@kubeloop/apiserver";
import { type Clock, childSignal, type Log, noLog, systemRandom, toError } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { ControlPlane } from "../cluster/control-plane.ts";
import { kubeconfigFor, kubeconfigTextFor } from "../cluster/kubeconfig-for.ts";
import { LateConnector } from "../cluster/late-connector.ts";
import type { Terminal } from "../status/live-block.ts";
import { StatusBoard } from "../status/status-board.ts";
import { joinCluster } from "./join-cluster.ts";
import { type KeptState, openKeptState } from "./kept-state.ts";
import { mergeIntoKubeconfig, usersKubeconfigPath } from "./merged-kubeconfig.ts";
import { openOwnFolder } from "./own-folder.ts";
import { putKubeconfig, removeKubeconfig, requireNoOther } from "./own-kubeconfig.ts";
import { ReservedStorage } from "./reserved-storage.ts";
import { logFor, runPlane } from "./run-plane.ts";
import { invalidFault, listenFault } from "./start-faults.ts";
import type { UpOptions } from "./up-options.ts";

export interface UpWorld {
  /** Where `.kubeloop` goes. */
  readonly folder: string;
  readonly clock: Clock;
  /** Tells of SIGHUP and of the exit: this process unless given. */
  readonly host?: UpHost;
  /** Where a live status can be drawn; undefined if the output is no terminal. */
  readonly terminal?: Terminal | undefined;
  print(text: string): void;
  complain(text: string): void;
}

export interface UpHost {
  on(event: "SIGHUP" | "exit", listener: () => void): unknown;
  off(event: "SIGHUP" | "exit", listener: () => void): unknown;
}

/** Runs until the signal aborts, or the terminal goes away. */
export async function up(options: UpOptions, bare: UpWorld, signal: AbortSignal): Promise<void> {
  const world = withStatus(options, bare);
  using life = childSignal(signal);
  using _hangUp = hear(world.host ?? process, "SIGHUP", () => life.abort());
  if (options.cluster !== undefined)
    await joinCluster(options, options.cluster, world, { asked: signal, life: life.signal });
  else await openCluster(options, world, { asked: signal, life });
}

/** Whatever is printed goes above the live status. */
function withStatus(options: UpOptions, bare: UpWorld): WorldWithStatus {
  const { terminal, clock } = bare;
  if (terminal === undefined || !options.hasStatus) return bare;
  const status = new StatusBoard(terminal, clock);
  const above = (write: (text: string) => void) => (text: string) => status.around(() => write(text));
  const { print, complain } = bare;
  return { ...bare, status, print: above((text) => print(text)), complain: above((text) => complain(text)) };
}

type WorldWithStatus = UpWorld & { readonly status?: StatusBoard };

interface Signals {
  /** Aborts when somebody asks to stop. */
  readonly asked: AbortSignal;
  /** Aborts then, too, and when the terminal has gone away. */
  readonly life: { readonly signal: AbortSignal };
}

/** With a server of its own. */
async function openCluster(options: UpOptions, world: WorldWithStatus, { asked, life }: Signals): Promise<void> {
  const { clock, host = process } = world;
  const begunMs = clock.monotonic();
  const folder = join(world.folder, ".kubeloop");
  const path = join(folder, "kubeconfig");
  await requireNoOther(path, clock, life.signal);
  if (life.signal.aborted) return;
  await openOwnFolder(folder);
  const kept = await openKeptState(join(folder, "state.json"), clock);
  if (kept.complaint !== undefined) world.complain(`kubeloop: ${kept.complaint}\n`);
  const log = logFor(options.output, world);
  const storage = new ReservedStorage(new MemoryStorage({ firstRevision: kept.firstRevision, log }), kept);
  const connector = new LateConnector();
  await using server = await openServer(options, {
    log,
    storage,
    ...(options.nodes > 0 && { nodeConnector: connector }),
  });
  const listening = await listenOn(server, options.port, kept);
  const caFile = join(folder, "ca.crt");
  await writeFile(caFile, listening.admin.caPem ?? "");
  // The client logs only what the server warns of, such as a deprecated version: nobody at the terminal can change these requests.
  const client = clientOf(server.transport, { log: noLog });
  const plane = await makePlane(options, { client, caFile, clock, log, status: world.status });
  connector.plane = plane;
  let merged: { remove(): void } | undefined;
  const own = { path, port: listening.port, content: await kubeconfigTextFor(listening) };
  // Somebody may not wait: a second Ctrl-C, a reader of the output that has gone.
  using _exit = hear(host, "exit", () => {
    try {
      removeKubeconfig(own);
      merged?.remove();
    } catch (error) {
      world.complain(`kubeloop: ${toError(error).message}\n`);
    }
  });
  await putKubeconfig(own, clock, life.signal);
  try {
    if (life.signal.aborted) return;
    if (options.mergeKubeconfig) merged = mergedFor(listening);
    const run = { url: listening.url, path, world, asked, begunMs, client };
    await runPlane(plane, options, run, life.signal);
  } finally {
    await listening[Symbol.asyncDispose]();
    // They would lead nowhere from here on.
    removeKubeconfig(own);
    merged?.remove();
  }
}

function mergedFor(listening: Listening): { remove(): void } {
  const { clusters: [cluster] = [], users: [user] = [], contexts: [context] = [] } = kubeconfigFor(listening);
  if (cluster === undefined || user === undefined || context === undefined)
    throw new Error("a kubeconfig without parts");
  const path = usersKubeconfigPath(process.env, homedir());
  return mergeIntoKubeconfig(path, { clusters: cluster, users: user, contexts: context });
}

interface PlaneGround {
  readonly client: Client;
  /** The certificate that pods would trust the server by. */
  readonly caFile: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly status: StatusBoard | undefined;
}

async function makePlane(
  options: UpOptions,
  { client, caFile, clock, log, status }: PlaneGround,
): Promise<ControlPlane> {
  const { withoutManager, managerFlags } = options;
  try {
    return await ControlPlane.make({
      client,
      clock,
      random: systemRandom,
      log,
      managerFlags: withoutManager ? undefined : [`--root-ca-file=${caFile}`, ...managerFlags],
      isScheduling: !options.withoutScheduler,
      isElected: false,
      nodeCount: options.nodes,
      speed: options.speed,
      ...(status && { metrics: status.meter }),
    });
  } catch (error) {
    throw invalidFault(error);
  }
}

async function openServer(options: UpOptions, parts: ApiServerOptions): Promise<ApiServer> {
  const { enableAdmissionPlugins: asked, disableAdmissionPlugins } = options;
  // ServiceAccount is on as upstream: the controller that makes the accounts runs beside the server.
  const enableAdmissionPlugins = disableAdmissionPlugins.includes(accounts) ? asked : [accounts, ...asked];
  try {
    return await ApiServer.open({ ...parts, enableAdmissionPlugins, disableAdmissionPlugins });
  } catch (error) {
    throw invalidFault(error);
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
