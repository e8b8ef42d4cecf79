import { isNotFound } from "@kubeloop/core/api";
import { parseKubeconfig } from "@kubeloop/core/client";
import { deployments, namespaces, nodes, pods } from "@kubeloop/core/resources";
import { createOrUpdate, defineController, Manager } from "@kubeloop/core/runtime";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import type { Pod } from "@kubeloop/core/types/core/v1";
import { describe, expect, test, vi } from "vitest";
import type { Cluster } from "./cluster.ts";
import { type StartClusterOptions, startCluster } from "./start-cluster.ts";

function deployment(name: string, replicas: number, image = "shop/web:v1"): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

const create = ({ client, signal }: Cluster, object: Deployment) =>
  client.resource(deployments).in("default").create(object, signal);

const available = async ({ client, signal }: Cluster, name: string) =>
  (await client.resource(deployments).in("default").get(name, signal)).status?.availableReplicas;

async function podsOf({ client, signal }: Cluster): Promise<readonly Pod[]> {
  const found: Pod[] = [];
  for await (const pod of client.resource(pods).in("default").list({}, signal)) found.push(pod);
  return found;
}

const inVirtualTime = { clock: "virtual" } as const;

test("a pod of a new namespace runs as its account default, with a token for the API server", async () => {
  await using cluster = await startCluster(inVirtualTime);
  const { client, signal } = cluster;
  const metadata = { name: "shop" };
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata }, signal);
  await cluster.settled();
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers: [{ name: "web", image: "shop/web" }] },
  };
  const { spec } = await client.resource(pods).in("shop").create(pod, signal);
  expect(spec.serviceAccountName).toBe("default");
  expect(spec.volumes?.map(({ projected }) => projected?.sources?.flatMap((source) => Object.keys(source)))).toEqual([
    ["serviceAccountToken", "configMap", "downwardAPI"],
  ]);
  const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
  expect(spec.containers[0]?.volumeMounts).toEqual([{ name: spec.volumes?.[0]?.name, readOnly: true, mountPath }]);
});

describe.each(["virtual", "real"] as const)("in %s time", (clock) => {
  test("a deployment has its pods when the cluster has settled, and none are left when it is gone", async () => {
    await using cluster = await startCluster({ clock });
    await create(cluster, deployment("web", 3));
    await cluster.settled();
    expect(await available(cluster, "web")).toBe(3);
    expect(new Set((await podsOf(cluster)).map(({ spec }) => spec.nodeName))).toEqual(
      new Set(["node-1", "node-2", "node-3"]),
    );
    const { client, signal } = cluster;
    await client.resource(deployments).in("default").delete("web", {}, signal);
    await cluster.settled();
    expect(await podsOf(cluster)).toEqual([]);
  });

  test("a reset takes the objects of the test away, and the next deployment runs", async () => {
    await using cluster = await startCluster({ clock, nodes: 2 });
    await create(cluster, deployment("web", 2));
    await cluster.settled();
    const snapshot = cluster.snapshot();
    await cluster.reset();
    expect(await podsOf(cluster)).toEqual([]);
    await create(cluster, deployment("other", 1));
    await cluster.settled();
    expect(await available(cluster, "other")).toBe(1);
    await cluster.restore(snapshot);
    expect((await podsOf(cluster)).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
    await expect(available(cluster, "other")).rejects.toSatisfy(isNotFound);
  });

  // A start of all parts would list and watch each kind of object, and take a hundred times as long.
  test("a reset after a test that has settled starts nothing", async () => {
    await using cluster = await startCluster({ clock });
    await create(cluster, deployment("web", 3));
    await cluster.settled();
    const answer = vi.spyOn(cluster.server, "answer");
    await cluster.reset();
    const requests = answer.mock.calls.map(([{ method, path }]) => `${method} ${path}`);
    answer.mockRestore();
    // Heartbeats are sent in real time, whenever they are due. The garbage collector deletes a pod once more, whose set it has seen go first.
    expect(requests.filter((each) => !/leases|status|^DELETE .*\/pods\//.test(each))).toEqual([]);
    expect(await podsOf(cluster)).toEqual([]);
  });

  test.each([
    ["at rest", true],
    ["at work", false],
  ])("a snapshot of another cluster is refused, and the cluster goes on: %s", async (_, isAtRest) => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await using another = await startCluster({ clock, nodes: 1 });
    await create(cluster, deployment("web", 1));
    if (isAtRest) await cluster.settled();
    await expect(cluster.restore(another.snapshot())).rejects.toThrow("is of another storage");
    await create(cluster, deployment("second", 1));
    await cluster.settled();
    expect((await podsOf(cluster)).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
  });

  test("what happens to a fork does not happen to the cluster, and back", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await create(cluster, deployment("web", 1));
    await cluster.settled();
    await using fork = await cluster.fork();
    await create(fork, deployment("of-the-fork", 1));
    await create(cluster, deployment("of-the-cluster", 1));
    await Promise.all([fork.settled(), cluster.settled()]);
    const names = async (one: Cluster) => (await podsOf(one)).map(({ metadata }) => metadata.labels?.["app"]).sort();
    expect(await names(fork)).toEqual(["of-the-fork", "web"]);
    expect(await names(cluster)).toEqual(["of-the-cluster", "web"]);
  });

  test("eventually waits for what will be", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    await create(cluster, deployment("web", 1));
    expect(await cluster.eventually(() => available(cluster, "web"))).toBe(1);
    const never = cluster.eventually(() => available(cluster, "web"), { until: (count) => count === 2, withinMs: 50 });
    await expect(never).rejects.toThrow(/does not hold|did not hold/);
  });

  test("an operator of one's own is waited for, too", async () => {
    await using cluster = await startCluster({ clock, nodes: 1 });
    const manager = new Manager(cluster.parts);
    manager.addController(
      defineController({
        name: "second-replica",
        for: deployments,
        async reconcile({ key }, context) {
          if (context.reader.get(deployments, key)?.spec?.replicas === 1)
            await createOrUpdate(context, deployments, key, (draft) => {
              draft.spec = { ...draft.spec, replicas: 2 } as NonNullable<Deployment["spec"]>;
            });
          return { requeueAfterMs: 3_600_000, isRoutine: true };
        },
      }),
    );
    cluster.run((signal) => manager.run(signal));
    await create(cluster, deployment("web", 1));
    await cluster.settled();
    expect(await available(cluster, "web")).toBe(2);
  });
});

describe("virtual time", () => {
  test.each([
    ["a container that sleeps", "busybox", ["sleep", "3600"]],
    ["a container that crashes again and again", "busybox", ["sh", "-c", "exit 1"]],
    ["an image that cannot be pulled", "web:nonexistent", undefined],
  ])("is not spent on %s: the cluster has settled before", async (_, image, command) => {
    await using cluster = await startCluster({ ...inVirtualTime, nodes: 1 });
    const { client, signal, clock } = cluster;
    const spec = { containers: [{ name: "c", image, ...(command && { command }) }] };
    const metadata = { name: "a", namespace: "default" };
    await client.resource(pods).in("default").create({ apiVersion: "v1", kind: "Pod", metadata, spec }, signal);
    const begunMs = clock.now();
    await cluster.settled();
    expect(clock.now() - begunMs).toBeLessThan(60_000);
    const [pod] = await podsOf(cluster);
    const { state, restartCount = 0 } = pod?.status?.containerStatuses?.[0] ?? {};
    expect([state?.running !== undefined, restartCount > 0, state?.waiting?.reason?.includes("Image")]).toContain(true);
  });

  test("the same seed gives the same run", async () => {
    const run = async (seed: string) => {
      await using cluster = await startCluster({ ...inVirtualTime, seed, nodes: 2 });
      await create(cluster, deployment("web", 3));
      await cluster.settled();
      await create(cluster, deployment("other", 2, "nonexistent"));
      await cluster.clock.advance(60_000);
      return await podsOf(cluster);
    };
    const first = await run("one");
    expect(first).toHaveLength(5);
    expect(await run("one")).toEqual(first);
    expect((await run("two")).map(({ metadata }) => metadata.name)).not.toEqual(
      first.map(({ metadata }) => metadata.name),
    );
  });

  test("begins when it is told to", async () => {
    await using cluster = await startCluster({
      ...inVirtualTime,
      nodes: 0,
      startTime: new Date("2040-02-03T04:05:06Z"),
    });
    const { client, signal } = cluster;
    await create(cluster, deployment("web", 0));
    const { metadata } = await client.resource(deployments).in("default").get("web", signal);
    expect(metadata.creationTimestamp).toMatch(/^2040-02-03T04:05:/);
  });

  test("pods of a node that is cut off are replaced on others", async () => {
    await using cluster = await startCluster({ ...inVirtualTime, nodes: 2 });
    await create(cluster, deployment("web", 2));
    await cluster.settled();
    cluster.nodes.cutOff("node-1");
    const onNode2 = async () => (await podsOf(cluster)).filter(({ spec }) => spec.nodeName === "node-2").length;
    await cluster.eventually(onNode2, { until: (count) => count === 2, withinMs: 10 * 60_000 });
    const { client, signal } = cluster;
    const { spec } = await client.resource(nodes).get("node-1", signal);
    expect(spec?.taints?.map(({ key }) => key)).toContain("node.kubernetes.io/unreachable");
  });

  test("cannot be listened to", async () => {
    await using cluster = await startCluster({ ...inVirtualTime, nodes: 0 });
    await expect(cluster.listen()).rejects.toThrow(
      'a cluster in virtual time cannot listen: start it with clock: "real"',
    );
  });
});

test("with every tenth request of its parts failing or lost, a deployment is complete in the end", async () => {
  const of = (name: string) => ({ name, probability: 0.05 });
  await using cluster = await startCluster({
    ...inVirtualTime,
    nodes: 2,
    faults: [
      { ...of("busy"), fault: { kind: "status", code: 500 } },
      { ...of("lost"), fault: { kind: "reset", when: "after" } },
    ],
  });
  await create(cluster, deployment("web", 10));
  await cluster.eventually(() => available(cluster, "web"), { until: (count) => count === 10 });
  expect(new Set(cluster.injected.map(({ rule }) => rule))).toEqual(new Set(["busy", "lost"]));
  cluster.heal();
  const before = cluster.injected.length;
  await cluster.clock.advance(60_000);
  expect(await podsOf(cluster)).toHaveLength(10);
  expect(cluster.injected).toHaveLength(before);
});

test("clusters in one process do not see each other", async () => {
  const both = await Promise.all([startCluster({ nodes: 1 }), startCluster({ ...inVirtualTime, nodes: 2 })]);
  await using one: Cluster = both[0];
  await using other: Cluster = both[1];
  await create(one, deployment("web", 1));
  await one.settled();
  await other.settled();
  expect([(await podsOf(one)).length, (await podsOf(other)).length]).toEqual([1, 0]);
});

test("programs outside find it under its kubeconfig", async () => {
  await using cluster = await startCluster({ nodes: 1 });
  const { url, kubeconfig } = await cluster.listen();
  expect((await parseKubeconfig(kubeconfig)).clusters?.[0]?.cluster?.server).toBe(url);
  expect((await cluster.listen()).url).toBe(url);
});

test("a part that fails is told of by the next call that waits, and at the end", async () => {
  const cluster = await startCluster({ ...inVirtualTime, nodes: 0, controllerManager: false, scheduler: false });
  cluster.run(async () => Promise.reject(new Error("broken")));
  await expect(cluster.settled()).rejects.toThrow("broken");
  await expect(cluster[Symbol.asyncDispose]()).rejects.toThrow("broken");
});

describe("what cannot be meant is one sentence", () => {
  test.each<[StartClusterOptions, string]>([
    [{ nodes: -1 }, "startCluster: nodes must be a whole number from 0 to 10000, not -1"],
    [{ nodes: 1.5 }, "startCluster: nodes must be a whole number from 0 to 10000, not 1.5"],
    [{ speed: 0 }, "startCluster: speed must be a number above 0, not 0"],
    [{ clock: "slow" as "real" }, 'startCluster: clock must be "real" or "virtual", not "slow"'],
    [{ startTime: new Date(0) }, "startCluster: startTime is for virtual time"],
    [{ clock: "virtual", startTime: new Date("x") }, "startCluster: startTime is no time"],
    [{ controllerManager: ["--colour"] }, "unknown flag: --colour"],
  ])("%j", async (options, sentence) => {
    await expect(startCluster(options)).rejects.toThrow(sentence);
  });
});
