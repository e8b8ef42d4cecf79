// An hour of a whole cluster in virtual time: ten hollow nodes, 100 Deployments of three pods each; first with nothing to do but heartbeats, leases
// and resyncs, then with one of the Deployments rolled every 36 seconds. How many real seconds it takes, on an hour's 3,600.
import { systemClock } from "@kubeloop/core/base";
import { deployments } from "@kubeloop/core/resources";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import { startCluster } from "kubeloop";
import type { Measurement } from "./budget.ts";

const hourMs = 3_600_000;
const nodeCount = 10;
const deploymentCount = 100;
const podsEach = 3;
const names = Array.from({ length: deploymentCount }, (_, index) => `web-${index}`);

export async function measureVirtualHour(): Promise<readonly Measurement[]> {
  await using cluster = await startCluster({ nodes: nodeCount, clock: "virtual" });
  const all = cluster.client.resource(deployments).in("default");
  for (const name of names) await all.create(deploymentOf(name), cluster.signal);
  await cluster.settled();
  const idleMs = await tookMs(() => cluster.clock.advance(hourMs));
  const rolledMs = await tookMs(async () => {
    for (const name of names) {
      const containers = [{ name: "web", image: "nginx:2" }];
      await all.patch(
        name,
        { type: "strategic", body: { spec: { template: { spec: { containers } } } } },
        cluster.signal,
      );
      await cluster.clock.advance(hourMs / deploymentCount);
    }
  });
  const finished: Deployment[] = [];
  for await (const deployment of all.list({}, cluster.signal)) {
    const { status } = deployment;
    if (status?.updatedReplicas === podsEach && status.availableReplicas === podsEach) finished.push(deployment);
  }
  if (finished.length !== deploymentCount) throw new Error(`only ${finished.length} Deployments were rolled out`);
  return [limited("with nothing to do", idleMs), limited("with a rollout every 36 seconds", rolledMs)];
}

const limited = (what: string, measuredMs: number): Measurement => ({
  what: `startCluster, an hour of virtual time with ${nodeCount} nodes and ${deploymentCount} Deployments, ${what}`,
  measured: measuredMs / hourMs,
  limit: 1 / 60,
  bound: "at most",
  unit: " ×",
  detail: `${(measuredMs / 1000).toFixed(1)} s`,
});

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const beganMs = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - beganMs;
}

function deploymentOf(name: string): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1" }] } };
  const spec = { replicas: podsEach, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}
