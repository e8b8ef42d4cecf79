// `kubeloop up --kubeconfig` and `--server`: controller manager, scheduler and hollow nodes for a server that is already there. Manager and scheduler work
// while they hold upstream's leases, so a cluster that has its own keeps them. The nodes listen on a port, where the server asks for logs and exec.
//
// Promise: a node that is somebody else's is never touched. If one of the names is taken, it is one sentence and nothing starts.
import { isIP } from "node:net";
import { isNotFound } from "@kubeloop/core/api";
import type { Clock } from "@kubeloop/core/base";
import { noLog, systemRandom, toError } from "@kubeloop/core/base";
import { type Client, type ClusterConfig, loadClusterConfig, openClient } from "@kubeloop/core/client";
import { nodes } from "@kubeloop/core/resources";
import type { KubeletServing } from "@kubeloop/nodes";
import { ControlPlane } from "../cluster/control-plane.ts";
import type { StatusBoard } from "../status/status-board.ts";
import { UsageError } from "../usage-error.ts";
import { addressTowards } from "./node-address.ts";
import { logFor, runPlane } from "./run-plane.ts";
import { invalidFault } from "./start-faults.ts";
import type { UpOutput } from "./up-messages.ts";
import type { JoinedCluster, UpOptions } from "./up-options.ts";

interface JoinWorld extends UpOutput {
  readonly status?: StatusBoard;
  readonly clock: Clock;
  complain(text: string): void;
}

interface JoinSignals {
  /** Aborts when somebody asks to stop. */
  readonly asked: AbortSignal;
  /** Aborts then, too, and when the terminal has gone away. */
  readonly life: AbortSignal;
}

export async function joinCluster(
  options: UpOptions,
  cluster: JoinedCluster,
  world: JoinWorld,
  { asked, life }: JoinSignals,
): Promise<void> {
  const { clock } = world;
  const begunMs = clock.monotonic();
  if (life.aborted) return;
  const config = await findCluster(cluster, life);
  await using client = openClient(config, { clock, log: noLog });
  const kubelet = options.nodes > 0 ? await servingAt(cluster.nodeAddress ?? config.server, clock, life) : undefined;
  const plane = await makePlane(options, client, kubelet, world);
  await requireOwnNodes(client, plane.nodeNames, config.server, life);
  const run = {
    url: config.server,
    path: cluster.kubeconfig,
    nodeAddress: kubelet?.host,
    world,
    asked,
    begunMs,
    client,
  };
  await runPlane(plane, options, run, life);
}

async function findCluster({ kubeconfig, server }: JoinedCluster, signal: AbortSignal): Promise<ClusterConfig> {
  const where = { ...(kubeconfig !== undefined && { path: kubeconfig }), ...(server !== undefined && { server }) };
  try {
    return await loadClusterConfig(where, signal);
  } catch (error) {
    throw new UsageError(`up: ${toError(error).message}`);
  }
}

/** A certificate of its own: a kube-apiserver looks at it only with --kubelet-certificate-authority. */
async function servingAt(address: string, clock: Clock, signal: AbortSignal): Promise<KubeletServing> {
  const host = isIP(address) === 0 ? await addressTowards(address, { clock }, signal) : address;
  const { createAuthority } = await import("@kubeloop/apiserver/authority");
  const authority = await createAuthority("kubeloop-nodes");
  const { certPem, keyPem } = await authority.issueServer({ commonName: "kubeloop-nodes", names: [host, "localhost"] });
  return { host, certificate: { certificatePem: certPem, keyPem } };
}

async function makePlane(
  options: UpOptions,
  client: Client,
  kubelet: KubeletServing | undefined,
  world: JoinWorld,
): Promise<ControlPlane> {
  try {
    return await ControlPlane.make({
      client,
      clock: world.clock,
      random: systemRandom,
      log: logFor(options.output, world),
      managerFlags: options.withoutManager ? undefined : options.managerFlags,
      isScheduling: !options.withoutScheduler,
      isElected: true,
      nodeCount: options.nodes,
      speed: options.speed,
      ...(world.status && { metrics: world.status.meter }),
      ...(kubelet && { kubelet }),
    });
  } catch (error) {
    throw invalidFault(error);
  }
}

/** What a hollow node says of its system. */
const hollowImage = "kubeloop hollow node";

async function requireOwnNodes(
  client: Client,
  names: readonly string[],
  server: string,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    try {
      const { status } = await client.resource(nodes).get(name, signal);
      if (status?.nodeInfo?.osImage === hollowImage) continue;
    } catch (error) {
      if (isNotFound(error)) continue;
      throw new UsageError(`up: ${server} does not answer: ${toError(error).message}`);
    }
    throw new UsageError(`up: ${server} has a node ${name} that is not hollow; run with --nodes 0`);
  }
}
