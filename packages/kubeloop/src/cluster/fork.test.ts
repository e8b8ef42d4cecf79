// Forks: what they have in common with their original, and when their parts start.
import { ApiServer } from "@kubeloop/apiserver";
import { deployments, pods } from "@kubeloop/core/resources";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { describe, expect, test, vi } from "vitest";
import type { Cluster } from "./cluster.ts";
import { startCluster } from "./start-cluster.ts";

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "shop/web:v1" }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

const create = ({ client, signal }: Cluster, object: Deployment) =>
  client.resource(deployments).in("default").create(object, signal);

async function podsOf({ client, signal }: Cluster): Promise<readonly Pod[]> {
  const found: Pod[] = [];
  for await (const pod of client.resource(pods).in("default").list({}, signal)) found.push(pod);
  return found;
}

const phases = async (cluster: Cluster) => (await podsOf(cluster)).map(({ status }) => status?.phase);

/** A fork, and how many requests its server had answered when it was there. */
async function forkCounting<C extends Cluster>(
  cluster: C,
): Promise<{ readonly fork: Cluster; readonly asked: number }> {
  const answer = vi.spyOn(ApiServer.prototype, "answer");
  try {
    const fork = await cluster.fork();
    return { fork, asked: answer.mock.contexts.filter((server) => server === fork.server).length };
  } finally {
    answer.mockRestore();
  }
}

describe.each(["virtual", "real"] as const)("in %s time", (clock) => {
  // Parts that start list and watch each kind of object, and nodes write their status.
  test.each([
    ["at rest", true],
    ["at work", false],
  ])("a fork of a cluster %s is there before its parts start, and they do the rest", async (_, isAtRest) => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await create(cluster, deployment("web", 2));
    if (isAtRest) await cluster.settled();
    const { fork, asked } = await forkCounting(cluster);
    await using _fork = fork;
    expect(asked).toBe(0);
    if (isAtRest) expect(await podsOf(fork)).toEqual(await podsOf(cluster));
    await fork.settled();
    expect(await phases(fork)).toEqual(["Running", "Running"]);
  });

  test("a fork is reset before its parts have started, and runs what comes next", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await create(cluster, deployment("web", 1));
    await cluster.settled();
    await using fork = await cluster.fork();
    await create(fork, deployment("of-the-fork", 1));
    await fork.reset();
    expect(await podsOf(fork)).toEqual(await podsOf(cluster));
    await create(fork, deployment("next", 1));
    await fork.settled();
    expect((await podsOf(fork)).map(({ metadata }) => metadata.labels?.["app"]).sort()).toEqual(["next", "web"]);
  });

  test("a fork of a fork has its objects", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await using fork = await cluster.fork();
    await create(fork, deployment("web", 1));
    await using second = await fork.fork();
    await second.settled();
    expect(await phases(second)).toEqual(["Running"]);
    expect(await podsOf(cluster)).toEqual([]);
  });

  test("eventually starts the parts, too", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await using fork = await cluster.fork();
    await create(fork, deployment("web", 1));
    expect(await fork.eventually(() => phases(fork), { until: ([phase]) => phase === "Running" })).toHaveLength(1);
  });
});

test("in virtual time a fork begins at the time of its original, and its parts start when time moves", async () => {
  await using cluster = await startCluster({ clock: "virtual", nodes: 1 });
  await cluster.clock.advance(3_600_000);
  await using fork = await cluster.fork();
  expect(fork.clock.now()).toBe(cluster.clock.now());
  await create(fork, deployment("web", 1));
  await fork.clock.settle();
  expect(await podsOf(fork)).toEqual([]);
  await fork.clock.advance(60_000);
  expect(await phases(fork)).toEqual(["Running"]);
});

test("the same seed and calls give the same fork", async () => {
  const run = async () => {
    await using cluster = await startCluster({ clock: "virtual", seed: "one", nodes: 2 });
    await create(cluster, deployment("web", 2));
    await using fork = await cluster.fork();
    await create(fork, deployment("other", 2));
    await fork.settled();
    return await podsOf(fork);
  };
  const first = await run();
  expect(first).toHaveLength(4);
  expect(await run()).toEqual(first);
});

test("a fork that nobody has waited on leaves no timer behind", async () => {
  await using cluster = await startCluster({ clock: "virtual", nodes: 1 });
  const fork = await cluster.fork();
  await fork[Symbol.asyncDispose]();
  expect(fork.clock.pending().filter(({ kind }) => kind === "work")).toEqual([]);
});

// Faults begin when the parts have started, so a fork is there when they have.
test("the parts of a fork with faults have started", async () => {
  const faults = [{ name: "busy", probability: 0.05, fault: { kind: "status", code: 500 } }] as const;
  await using cluster = await startCluster({ clock: "virtual", nodes: 1, faults });
  const { fork, asked } = await forkCounting(cluster);
  await using _fork = fork;
  expect(asked).toBeGreaterThan(50);
  expect(fork.injected).toEqual([]);
  await create(fork, deployment("web", 5));
  await fork.eventually(() => phases(fork), {
    until: (all) => all.filter((phase) => phase === "Running").length === 5,
  });
  expect(fork.injected.length).toBeGreaterThan(0);
});
