// Going back: what is there afterwards, and what it costs. Where only objects of the test have to go, controllers run on: that is seen from the requests
// that are sent meanwhile, none of which lists or watches.
import { type ApiRequest, allResources, type KubernetesObject, type Resource } from "@kubeloop/core/api";
import type { FakeClock } from "@kubeloop/core/base";
import { SharedInformerFactory } from "@kubeloop/core/informer";
import {
  configMaps,
  deployments,
  namespaces,
  nodes,
  podDisruptionBudgets,
  resourceQuotas,
  services,
} from "@kubeloop/core/resources";
import type { Deployment } from "@kubeloop/core/types/apps/v1";
import { describe, expect, test, vi } from "vitest";
import type { Cluster } from "./cluster.ts";
import { startCluster } from "./start-cluster.ts";

interface ContainerOptions {
  readonly command?: string[];
  readonly cpu?: string;
}

function deployment(name: string, replicas: number, { command, cpu }: ContainerOptions = {}): Deployment {
  const labels = { app: name };
  const resources = { requests: { ...(cpu && { cpu }) } };
  const container = { name: "web", image: "shop/web:v1", resources, ...(command && { command }) };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec };
}

const create = <T extends KubernetesObject>(
  { client, signal }: Cluster,
  resource: Resource<T>,
  object: T,
  namespace = "default",
) => (resource.namespaced ? client.resource(resource).in(namespace) : client.resource(resource)).create(object, signal);

/** Kinds that can be listed, in their stable version; without events, which nodes go on to record, and which expire. */
const kinds = allResources().filter(
  ({ verbs, version, plural }) => verbs.includes("list") && !/alpha|beta/.test(version) && plural !== "events",
);

/** What heartbeats change, and what every write changes. */
const passing = new Set(["resourceVersion", "managedFields", "lastHeartbeatTime", "renewTime"]);

/** Every object by kind and name. */
async function objectsOf({ client, signal }: Cluster): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const resource of kinds)
    for await (const object of client.resource(resource).list({}, signal)) {
      const { namespace = "", name } = object.metadata;
      const plain = JSON.stringify(object, (key, value) => (passing.has(key) ? undefined : value));
      found.set(`${resource.plural} ${namespace}/${name}`, JSON.parse(plain));
    }
  return found;
}

/** The requests that are sent while `work` is done. */
async function requestsOf({ server }: Cluster, work: () => Promise<unknown>): Promise<readonly ApiRequest[]> {
  const answer = vi.spyOn(server, "answer");
  try {
    await work();
    return answer.mock.calls.map(([request]) => request);
  } finally {
    answer.mockRestore();
  }
}

const isList = ({ method, path }: ApiRequest) => method === "GET" && /s$/.test(path);

const virtual = { clock: "virtual", nodes: 2 } as const;

/** What a test does to a cluster in which the deployment `fixture` is. */
type Deed = (cluster: Cluster<FakeClock>) => unknown;

const newDeployment: Deed = (cluster) => create(cluster, deployments, deployment("web", 3));

const inNamespaceOfItsOwn: Deed = async (cluster) => {
  const inTest = async <T extends KubernetesObject>(resource: Resource<T>, object: T) =>
    await create(cluster, resource, object, "test");
  await create(cluster, namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "test" } });
  await cluster.settled();
  await inTest(resourceQuotas, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "few" },
    spec: { hard: { pods: "5" } },
  });
  await inTest(deployments, deployment("web", 3));
  await inTest(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80 }] },
  });
  await inTest(podDisruptionBudgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
  });
};

const patchNode: Deed = ({ client, signal }) =>
  client.resource(nodes).patch(
    "node-1",
    {
      type: "merge",
      body: {
        metadata: { labels: { disk: "ssd" }, annotations: { "kubeloop.dev/not-ready": "test" } },
        spec: { unschedulable: true },
      },
    },
    signal,
  );

/** Returns what there is then. */
async function prepare(cluster: Cluster): Promise<ReadonlyMap<string, unknown>> {
  await create(cluster, deployments, deployment("fixture", 1));
  await cluster.settled();
  return await objectsOf(cluster);
}

describe("what a test has created goes without anything starting anew, after it", () => {
  test.each<[string, Deed]>([
    ["has created a deployment", newDeployment],
    ["has created a namespace with all sorts of objects", inNamespaceOfItsOwn],
    [
      "has a deployment that crashes",
      (cluster) => create(cluster, deployments, deployment("web", 2, { command: ["false"] })),
    ],
    ["has pods that fit nowhere", (cluster) => create(cluster, deployments, deployment("web", 3, { cpu: "1000" }))],
    ["has cordoned a node, labelled it and made it not ready", patchNode],
    ["has made a node not ready", async ({ nodes: hollow }) => hollow.setNotReady("node-1", "test")],
    [
      "has deleted what it had created",
      async (cluster) => {
        const { client, signal } = cluster;
        await create(cluster, deployments, deployment("web", 3));
        await cluster.settled();
        await client.resource(deployments).in("default").delete("web", {}, signal);
      },
    ],
    ["has let an hour pass", ({ clock }) => clock.advance(3_600_000)],
  ])("%s", async (_, deed) => {
    await using cluster = await startCluster(virtual);
    const before = await prepare(cluster);
    const snapshot = cluster.snapshot();
    await deed(cluster);
    await cluster.settled();
    const requests = await requestsOf(cluster, () => cluster.restore(snapshot));
    expect(requests.filter(isList)).toEqual([]);
    expect(await objectsOf(cluster)).toEqual(before);
    // Nobody makes up for what has gone.
    await cluster.clock.advance(120_000);
    await cluster.settled();
    expect(await objectsOf(cluster)).toEqual(before);
    await create(cluster, deployments, deployment("web", 3));
    await cluster.settled();
    expect((await cluster.client.resource(deployments).in("default").get("web", cluster.signal)).status).toMatchObject({
      availableReplicas: 3,
    });
  });
});

test("handlers of an operator are called when all its caches have all that has gone", async () => {
  await using cluster = await startCluster(virtual);
  const caches = new SharedInformerFactory(cluster.client, cluster.parts);
  const { informer, lister } = caches.core.v1.services;
  const left = new Set<number>();
  const onDelete = () => void left.add(lister.namespace("default").list().length);
  informer.addEventHandler({ onDelete });
  caches.core.v1.configMaps.informer.addEventHandler({ onDelete });
  cluster.run((signal) => caches.run(signal));
  await cluster.settled();
  const before = lister.namespace("default").list().length;
  await create(cluster, configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
  // More than a watch reports at once.
  for (let i = 0; i < 300; i++)
    await create(cluster, services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `web-${i}` },
      spec: { clusterIP: "None", ports: [{ port: 80 }] },
    });
  await cluster.settled();
  expect(lister.namespace("default").list()).toHaveLength(before + 300);
  await cluster.reset();
  expect([...left]).toEqual([before]);
});

const fixture = ({ client }: Cluster) => client.resource(deployments).in("default");

describe("controllers start anew, and all is as it was, after a test", () => {
  const rows: readonly [string, Deed][] = [
    ["has deleted what was there", (cluster) => fixture(cluster).delete("fixture", {}, cluster.signal)],
    [
      "has changed what was there",
      (cluster) =>
        fixture(cluster).patch("fixture", { type: "merge", body: { spec: { replicas: 3 } } }, cluster.signal),
    ],
    [
      "has made it anew under the same name",
      async (cluster) => {
        await fixture(cluster).delete("fixture", { propagationPolicy: "Foreground" }, cluster.signal);
        await cluster.settled();
        await create(cluster, deployments, deployment("fixture", 1));
      },
    ],
    ["has deleted a node", ({ client, signal }) => client.resource(nodes).delete("node-1", {}, signal)],
  ];
  test.each([
    ...rows.map(([name, deed]) => [name, "and has settled", deed] as const),
    ...rows.map(([name, deed]) => [name, "and has not settled", deed] as const),
    ["has created a deployment", "and has not settled", newDeployment] as const,
  ])("%s, %s", async (_, then, deed) => {
    await using cluster = await startCluster(virtual);
    const before = await prepare(cluster);
    const snapshot = cluster.snapshot();
    await deed(cluster);
    if (then === "and has settled") await cluster.settled();
    const requests = await requestsOf(cluster, () => cluster.restore(snapshot));
    expect(requests.filter(isList).length).toBeGreaterThan(20);
    expect(await objectsOf(cluster)).toEqual(before);
    await cluster.clock.advance(120_000);
    expect(await objectsOf(cluster)).toEqual(before);
  });
});

test("in virtual time, the same seed gives the same run after a reset, too", async () => {
  const run = async () => {
    await using cluster = await startCluster({ ...virtual, seed: "one" });
    for (const name of ["a", "b", "c"]) {
      await create(cluster, deployments, deployment(name, 3));
      await cluster.settled();
      await cluster.reset();
    }
    return await prepare(cluster);
  };
  expect(await run()).toEqual(await run());
});
