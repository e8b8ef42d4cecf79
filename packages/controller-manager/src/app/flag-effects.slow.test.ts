// What flags of the process and of its controllers change, each with two values, on the embedded server and in virtual time.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { MetricsRegistry } from "@kubeloop/core/base";
import {
  configMaps,
  deployments,
  endpointSlices,
  endpoints,
  namespaces,
  nodes,
  pods,
  replicaSets,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
} from "@kubeloop/core/resources";
import { describe, expect, test } from "vitest";
import { type ManagedCluster, type ManagedDelays, withManager } from "./manager-on-embedded-server.fixture.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

type Request = Parameters<ManagedDelays>[0];

const keyFile = join(mkdtempSync(join(tmpdir(), "kubeloop-flag-effects-")), "sa.key");
writeFileSync(
  keyFile,
  generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey.export({ type: "sec1", format: "pem" }),
);

const numbers = [...Array(6).keys()];
const newNamespace = (name: string): corev1.Namespace => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
const createNamespaces = async ({ client, signal }: ManagedCluster) => {
  for (const i of numbers) await client.resource(namespaces).create(newNamespace(`n-${i}`), signal);
};

const newOrphan = (i: number): corev1.ConfigMap => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "11111111-1111-4111-8111-111111111111" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `orphan-${i}`, ownerReferences: [owner] } };
};

const newQuota = (name: string): corev1.ResourceQuota => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name },
  spec: { hard: { secrets: "5" } },
});

/** Six objects that a controller has to do something about, each with a slow request. */
interface Work {
  readonly controller: string;
  readonly flag: string;
  readonly args?: readonly string[];
  readonly isSlow: (request: Request) => boolean;
  readonly give: (cluster: ManagedCluster) => Promise<void>;
}

/** A Service without a selector, and Endpoints of so many addresses. */
const createByHand = async ({ client, signal }: ManagedCluster, name: string, count: number) => {
  const spec = { ports: [{ port: 80 }] };
  await client
    .resource(services)
    .in("default")
    .create({ apiVersion: "v1", kind: "Service", metadata: { name }, spec }, signal);
  const addresses = Array.from({ length: count }, (_, i) => ({ ip: `10.9.0.${i + 1}` }));
  const subsets = [{ addresses, ports: [{ port: 80 }] }];
  await client
    .resource(endpoints)
    .in("default")
    .create({ apiVersion: "v1", kind: "Endpoints", metadata: { name }, subsets }, signal);
};

/** Services with nothing to do but for who makes their endpoints. */
const createServices = async ({ client, signal }: ManagedCluster) => {
  for (const i of numbers) {
    const service: corev1.Service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `s-${i}` },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    };
    await client.resource(services).in("default").create(service, signal);
  }
};

const works: readonly Work[] = [
  {
    controller: "endpoints-controller",
    flag: "concurrent-endpoint-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/endpoints"),
    give: createServices,
  },
  {
    controller: "endpointslice-mirroring-controller",
    flag: "mirroring-concurrent-service-endpoint-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/endpointslices"),
    async give(cluster) {
      for (const i of numbers) await createByHand(cluster, `s-${i}`, 1);
    },
  },
  {
    controller: "endpointslice-controller",
    flag: "concurrent-service-endpoint-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/endpointslices"),
    give: createServices,
  },
  {
    controller: "namespace-controller",
    flag: "concurrent-namespace-syncs",
    isSlow: ({ method, path }) => method === "PUT" && path.endsWith("/finalize"),
    async give(cluster) {
      await createNamespaces(cluster);
      const { client, signal } = cluster;
      for (const i of numbers) await client.resource(namespaces).delete(`n-${i}`, {}, signal);
    },
  },
  {
    controller: "garbage-collector-controller",
    flag: "concurrent-gc-syncs",
    isSlow: ({ method, path }) => method === "DELETE" && path.includes("/configmaps/"),
    async give({ client, signal }) {
      for (const i of numbers) await client.resource(configMaps).in("default").create(newOrphan(i), signal);
    },
  },
  {
    controller: "deployment-controller",
    flag: "concurrent-deployment-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/replicasets"),
    async give({ client, signal }) {
      for (const i of numbers) {
        const labels = { app: `a-${i}` };
        const deployment: appsv1.Deployment = {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: `a-${i}` },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        };
        await client.resource(deployments).in("default").create(deployment, signal);
      }
    },
  },
  {
    controller: "replicaset-controller",
    flag: "concurrent-replicaset-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/pods"),
    async give({ client, signal }) {
      for (const i of numbers) {
        const labels = { app: `a-${i}` };
        const set: appsv1.ReplicaSet = {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { name: `a-${i}` },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        };
        await client.resource(replicaSets).in("default").create(set, signal);
      }
    },
  },
  {
    controller: "replicationcontroller-controller",
    flag: "concurrent-rc-syncs",
    isSlow: ({ method, path }) => method === "POST" && path.endsWith("/pods"),
    async give({ client, signal }) {
      for (const i of numbers) {
        const selector = { app: `a-${i}` };
        const owner: corev1.ReplicationController = {
          apiVersion: "v1",
          kind: "ReplicationController",
          metadata: { name: `a-${i}` },
          spec: {
            replicas: 1,
            selector,
            template: { metadata: { labels: selector }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        };
        await client.resource(replicationControllers).in("default").create(owner, signal);
      }
    },
  },
  {
    controller: "resourcequota-controller",
    flag: "concurrent-resource-quota-syncs",
    isSlow: ({ method, path }) => method === "PUT" && path.includes("/resourcequotas/"),
    async give({ client, signal }) {
      for (const i of numbers)
        await client
          .resource(resourceQuotas)
          .in("default")
          .create(newQuota(`quota-${i}`), signal);
    },
  },
  {
    controller: "serviceaccount-token-controller",
    flag: "concurrent-serviceaccount-token-syncs",
    args: [`--service-account-private-key-file=${keyFile}`],
    isSlow: ({ method, path }) => method === "PUT" && path.includes("/secrets/"),
    async give({ client, signal }) {
      const account: corev1.ServiceAccount = {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "builder" },
      };
      await client.resource(serviceAccounts).in("default").create(account, signal);
      for (const i of numbers) {
        const token: corev1.Secret = {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: `token-${i}`, annotations: { "kubernetes.io/service-account.name": "builder" } },
          type: "kubernetes.io/service-account-token",
        };
        await client.resource(secrets).in("default").create(token, signal);
      }
    },
  },
];

describe.each(works)("--$flag", ({ controller, flag, args = [], isSlow, give }) => {
  test.each([1, 2, 4])("%i is how many objects are worked on at once", async (workers) => {
    let [now, most, all] = [0, 0, 0];
    const count = (by: number, clock: { after(ms: number, then: () => void): unknown }) => {
      now += by;
      all += by;
      most = Math.max(most, now);
      clock.after(10 * secondMs, () => {
        now -= by;
      });
    };
    let managed: ManagedCluster | undefined;
    const delayMs: ManagedDelays = (request) => {
      if (managed === undefined || !isSlow(request)) return 0;
      count(1, managed.clock);
      return 10 * secondMs;
    };
    const flags = [`--controllers=${controller}`, `--${flag}=${workers}`, ...args];
    await withManager(
      flags,
      async (cluster) => {
        managed = cluster;
        await give(cluster);
        await cluster.until("all are worked on", async () => all >= numbers.length);
      },
      { delayMs },
    );
    expect(most).toBe(workers);
  });
});

/** When the manager sent requests of this kind, in milliseconds since it began. */
async function timesOf(
  args: readonly string[],
  isCounted: (request: Request) => boolean,
  body: (cluster: ManagedCluster) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = [];
  let managed: ManagedCluster | undefined;
  const seen: Request[] = [];
  await withManager(
    args,
    async (cluster) => {
      managed = cluster;
      await body(cluster);
    },
    {
      onRequest: (request) => {
        seen.push(request);
        if (isCounted(request)) times.push(managed?.clock.monotonic() ?? 0);
      },
    },
  );
  expect(seen.length).toBeGreaterThan(0);
  return times;
}

const isAccountCreate = ({ method, path }: Request) => method === "POST" && path.endsWith("/serviceaccounts");

describe("--kube-api-qps and --kube-api-burst", () => {
  test.each([
    [["--kube-api-qps=1", "--kube-api-burst=1"], 4 * secondMs, 60 * secondMs],
    [["--kube-api-qps=20", "--kube-api-burst=30"], 0, secondMs],
    [["--kube-api-qps=1", "--kube-api-burst=30"], 0, secondMs],
  ])("%j: six requests of a controller take from %i to %i ms", async (flags, least, most) => {
    const times = await timesOf(["--controllers=serviceaccount", ...flags], isAccountCreate, async (cluster) => {
      await createNamespaces(cluster);
      const accounts = cluster.client.resource(serviceAccounts);
      for (const i of numbers) {
        await cluster.until("an account", () =>
          accounts
            .in(`n-${i}`)
            .get("default", cluster.signal)
            .catch(() => undefined),
        );
      }
    });
    const tookMs = Math.max(...times) - Math.min(...times);
    expect(tookMs).toBeGreaterThanOrEqual(least);
    expect(tookMs).toBeLessThan(most);
  });
});

test.each([
  [[], 0, secondMs],
  [["--controller-start-interval=1m"], minuteMs, 2 * minuteMs + secondMs],
])("--controller-start-interval: with %j a controller begins after %i to %i ms", async (flags, least, most) => {
  const args = ["--controllers=serviceaccount", ...flags];
  const times = await timesOf(args, isAccountCreate, async (cluster) => {
    const accounts = cluster.client.resource(serviceAccounts).in("default");
    await cluster.until("an account", () => accounts.get("default", cluster.signal).catch(() => undefined));
  });
  expect(times[0]).toBeGreaterThanOrEqual(least);
  expect(times[0]).toBeLessThan(most);
});

test.each([
  ["1m", 60],
  ["20m", 3],
])("--namespace-sync-period=%s: what is left in a namespace is looked for %i times an hour", async (period, times) => {
  const finalizers = ["kubernetes", "example.com/keeps"];
  let lists = 0;
  await withManager(
    ["--controllers=namespace", `--namespace-sync-period=${period}`],
    async ({ client, signal, clock, until }) => {
      await client.resource(namespaces).create({ ...newNamespace("kept"), spec: { finalizers } }, signal);
      await client.resource(namespaces).delete("kept", {}, signal);
      await until("it is looked at", async () => lists > 0);
      await clock.advance(minuteMs - 1);
      lists = 0;
      await clock.advance(hourMs);
    },
    {
      onRequest: ({ method, path, query }) => {
        const isWatch = query.some(([name]) => name === "watch");
        if (method === "GET" && path === "/api/v1/namespaces/kept/pods" && !isWatch) lists++;
        if (method === "DELETE" && path === "/api/v1/namespaces/kept/pods") lists++;
      },
    },
  );
  expect(lists).toBeGreaterThanOrEqual(times);
  expect(lists).toBeLessThanOrEqual(3 * times);
});

/** The server counts what it creates: then there is nothing to find out. */
const notCounted = { disableAdmissionPlugins: ["ResourceQuota"] };

test.each([
  ["5m", "1"],
  ["2h", "0"],
  ["0", "0"],
])("--resource-quota-sync-period=%s: an hour after a secret was created, %s is used", async (period, used) => {
  const args = ["--controllers=resourcequota", `--resource-quota-sync-period=${period}`];
  await withManager(
    args,
    async ({ client, signal, clock, until }) => {
      const quotas = client.resource(resourceQuotas).in("default");
      const usedNow = async () => (await quotas.get("quota", signal)).status?.used?.["secrets"];
      await quotas.create(newQuota("quota"), signal);
      await until("the quota is computed", async () => (await usedNow()) === "0");
      // What is not younger than a quota is counted at once.
      await clock.advance(2 * secondMs);
      const secret: corev1.Secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "one" } };
      await client.resource(secrets).in("default").create(secret, signal);
      await clock.advance(hourMs);
      expect(await usedNow()).toBe(used);
    },
    notCounted,
  );
});

test.each([
  ["10m", 3, 6],
  ["12h", 0, 0],
])("--min-resync-period=%s: in an hour each object is looked at again %i to %i times", async (period, least, most) => {
  const metrics = new MetricsRegistry();
  // The queue of the controller: what a resync adds to it changes nothing, so no request tells.
  const added = () => Number(/^workqueue_adds_total\{name="ttlcontroller"\} (\d+)$/im.exec(metrics.print())?.[1] ?? -1);
  await withManager(
    ["--controllers=ttl", `--min-resync-period=${period}`],
    async ({ client, signal, clock, until }) => {
      await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, signal);
      await until("the node is worked on", async () => added() > 0);
      await clock.advance(secondMs);
      const before = added();
      await clock.advance(hourMs);
      expect(added() - before).toBeGreaterThanOrEqual(least);
      expect(added() - before).toBeLessThanOrEqual(most);
    },
    { metrics },
  );
});

/** Six pods on a node, with addresses. */
const createEndpointPods = async ({ client, signal }: ManagedCluster) => {
  await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }, signal);
  const all = client.resource(pods).in("default");
  for (const i of numbers) {
    const metadata = { name: `p-${i}`, labels: { app: "web" } };
    const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
    await all.create({ apiVersion: "v1", kind: "Pod", metadata, spec }, signal);
    const podIP = `10.1.0.${i + 1}`;
    const status = {
      phase: "Running",
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [{ type: "Ready", status: "True" }],
    };
    await all.subresource("status").patch(`p-${i}`, { type: "merge", body: { status } }, signal);
  }
};

test.each([
  [2, [2, 2, 2]],
  [4, [2, 4]],
  [100, [6]],
])("--max-endpoints-per-slice=%i: six endpoints are in slices of %j", async (most, sizes) => {
  const args = ["--controllers=endpointslice", `--max-endpoints-per-slice=${most}`];
  await withManager(args, async (cluster) => {
    const { client, signal, until } = cluster;
    await createEndpointPods(cluster);
    const [service] = numbers;
    const spec = { selector: { app: "web" }, ports: [{ port: 80 }] };
    await client
      .resource(services)
      .in("default")
      .create({ apiVersion: "v1", kind: "Service", metadata: { name: `s-${service}` }, spec }, signal);
    await until(`slices of ${sizes}`, async () => {
      const found: number[] = [];
      for await (const { endpoints } of client.resource(endpointSlices).in("default").list({}, signal)) {
        found.push(endpoints?.length ?? 0);
      }
      return JSON.stringify(found.toSorted()) === JSON.stringify(sizes);
    });
  });
});

const isSliceWrite = ({ method, path }: Request) => method === "PUT" && path.includes("/endpointslices/s-0-");
const isEndpointsWrite = ({ method, path }: Request) => method === "PUT" && path.endsWith("/endpoints/s-0");

test.each([
  ["endpointslice-updates-batch-period", "0s", 2, 6, isSliceWrite],
  ["endpointslice-updates-batch-period", "30s", 1, 1, isSliceWrite],
  ["endpoint-updates-batch-period", "0s", 2, 6, isEndpointsWrite],
  ["endpoint-updates-batch-period", "30s", 1, 1, isEndpointsWrite],
] as const)("--%s=%s: six new pods are %i to %i writes", async (flag, period, least, most, isWrite) => {
  let writes = 0;
  const args = ["--controllers=endpoint,endpointslice", `--${flag}=${period}`];
  await withManager(
    args,
    async (cluster) => {
      await createServices(cluster);
      await cluster.clock.advance(minuteMs);
      writes = 0;
      await createEndpointPods(cluster);
      await cluster.clock.advance(minuteMs);
    },
    { onRequest: (request) => void (isWrite(request) && writes++) },
  );
  expect(writes).toBeGreaterThanOrEqual(least);
  expect(writes).toBeLessThanOrEqual(most);
});

test.each([
  ["0s", 0, secondMs],
  ["30s", 30 * secondMs, 31 * secondMs],
])(
  "--mirroring-endpointslice-updates-batch-period=%s: a changed slice is mended after %i to %i ms",
  async (period, least, most) => {
    const args = ["--controllers=endpointslicemirroring", `--mirroring-endpointslice-updates-batch-period=${period}`];
    await withManager(args, async (cluster) => {
      const { client, signal, until, clock } = cluster;
      await createByHand(cluster, "s-0", 2);
      const slices = client.resource(endpointSlices).in("default");
      const found = async () => {
        for await (const { metadata, endpoints: list } of slices.list({}, signal)) {
          if (metadata.name?.startsWith("s-0-") && list?.length === 2) return metadata.name;
        }
        return undefined;
      };
      const name = await until("a slice", found);
      await slices.patch(name, { type: "merge", body: { endpoints: [] } }, signal);
      const beganMs = clock.monotonic();
      await until("it is mended", found);
      expect(clock.monotonic() - beganMs).toBeGreaterThanOrEqual(least);
      expect(clock.monotonic() - beganMs).toBeLessThan(most);
    });
  },
);

test.each([
  [2, 2],
  [1000, 6],
])("--mirroring-max-endpoints-per-subset=%i: of six addresses, %i are mirrored", async (limit, expected) => {
  const args = ["--controllers=endpointslicemirroring", `--mirroring-max-endpoints-per-subset=${limit}`];
  await withManager(args, async (cluster) => {
    const { client, signal, until } = cluster;
    await createByHand(cluster, "s-0", 6);
    await until(`${expected} endpoints`, async () => {
      const all = client.resource(endpointSlices).in("default");
      for await (const { metadata, endpoints: list } of all.list({}, signal)) {
        if (metadata.name?.startsWith("s-0-")) return list?.length === expected;
      }
      return false;
    });
  });
});

const newEndedPod = (i: number): corev1.Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `ended-${i}` },
  spec: { containers: [{ name: "c", image: "i" }] },
});

test.each([
  [1, 1],
  [4, 4],
  [0, 6],
])("--terminated-pod-gc-threshold=%i: of six pods that have ended, %i are left", async (threshold, left) => {
  const args = ["--controllers=podgc", `--terminated-pod-gc-threshold=${threshold}`];
  await withManager(args, async ({ client, signal, clock }) => {
    const all = client.resource(pods).in("default");
    for (const i of numbers) {
      await all.create(newEndedPod(i), signal);
      await all
        .subresource("status")
        .patch(`ended-${i}`, { type: "merge", body: { status: { phase: "Succeeded" } } }, signal);
    }
    await clock.advance(5 * minuteMs);
    const names: string[] = [];
    for await (const { metadata } of all.list({}, signal)) names.push(metadata.name ?? "");
    expect(names).toHaveLength(left);
  });
});

test.each([
  [true, 0],
  [false, 6],
])("--enable-garbage-collector=%s leaves %i of six orphans", async (isOn, left) => {
  const args = ["--controllers=garbagecollector", `--enable-garbage-collector=${isOn}`];
  await withManager(args, async ({ client, signal, clock }) => {
    const all = client.resource(configMaps).in("default");
    for (const i of numbers) await all.create(newOrphan(i), signal);
    await clock.advance(hourMs);
    const orphans: string[] = [];
    for await (const { metadata } of all.list({}, signal)) orphans.push(metadata.name ?? "");
    expect(orphans.filter((name) => name.startsWith("orphan-"))).toHaveLength(left);
  });
});
