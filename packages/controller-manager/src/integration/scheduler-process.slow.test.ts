// kube-scheduler as a process, over real sockets, for an embedded API server in this process: it places pods, reads its configuration file, says about
// itself what upstream's says, and only to who may read it, and ends when it has lost its lease.
import { fileURLToPath } from "node:url";
import type { Client } from "@kubeloop/core/client";
import { leases, namespaces, nodes, pods } from "@kubeloop/core/resources";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askEndpoint, findPort, type ManagerProcess } from "./manager-process.contract.ts";
import { ServedCluster, untilSeen } from "./process-on-embedded-server.contract.ts";

// Ends what hangs; nothing is expected of it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const { signal } = new AbortController();
const cli = fileURLToPath(new URL("../../dist/bundle/esm/scheduler-cli.js", import.meta.url));

let cluster: ServedCluster;
beforeEach(async () => {
  cluster = await ServedCluster.open();
  await prepare(cluster.client);
});
afterEach(async () => cluster?.[Symbol.asyncDispose]());

async function prepare(client: Client): Promise<void> {
  for (const name of ["default", "kube-system"]) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as const;
    await client
      .resource(namespaces)
      .create(namespace, signal)
      .catch(() => {});
  }
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, status: { allocatable } } as const;
  await client.resource(nodes).create(node, signal);
  await client.resource(nodes).patch("a", { type: "merge", body: { spec: { taints: null } } }, signal);
}

const start = (...args: readonly string[]): ManagerProcess => cluster.start(args, { command: [process.execPath, cli] });

async function createPod(name: string, schedulerName?: string): Promise<void> {
  const spec = {
    containers: [{ name: "app", image: "app", resources: { requests: { cpu: "1m" } } }],
    ...(schedulerName === undefined ? {} : { schedulerName }),
  };
  await cluster.client
    .resource(pods)
    .in("default")
    .create({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec }, signal);
}

const untilBound = (name: string) =>
  untilSeen(cluster.client.resource(pods).in("default"), name, ({ spec }) => spec.nodeName === "a", signal);

test("places pods while it holds upstream's lease, and gives it back when it is told to stop", async () => {
  const scheduler = start("--secure-port=0");
  await createPod("pod");
  await untilBound("pod");
  const lease = await cluster.client.resource(leases).in("kube-system").get("kube-scheduler", signal);
  expect(lease.spec?.holderIdentity).toMatch(/_[0-9a-f-]{36}$/);
  scheduler.kill("SIGTERM");
  expect(await scheduler.exited).toEqual({ code: 0, signal: null });
  const after = await cluster.client.resource(leases).in("kube-system").get("kube-scheduler", signal);
  expect(after.spec?.holderIdentity ?? "").toBe("");
});

test("ends with 1 when the lease is another's", async () => {
  const scheduler = start(
    "--secure-port=0",
    "--leader-elect-lease-duration=8s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
  );
  await createPod("pod");
  await untilBound("pod");
  const stolen = { holderIdentity: "another", leaseDurationSeconds: 600, renewTime: "2999-01-01T00:00:00.000000Z" };
  await cluster.client
    .resource(leases)
    .in("kube-system")
    .patch("kube-scheduler", { type: "merge", body: { spec: stolen } }, signal);
  expect(await scheduler.exited).toEqual({ code: 1, signal: null });
  expect(scheduler.stderr).toContain('"command failed" err="leader election lost"');
});

test("the configuration file has its effect, and flags of the election go before it", async () => {
  const document = {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    clientConnection: { kubeconfig: cluster.kubeconfig, qps: 500, burst: 500 },
    leaderElection: { leaderElect: true, resourceName: "of-the-file" },
    profiles: [{ schedulerName: "ours" }],
  };
  const config = await cluster.write("config.yaml", JSON.stringify(document));
  start("--secure-port=0", `--config=${config}`, "--leader-elect-resource-name=of-the-flag");
  await createPod("others");
  await createPod("ours", "ours");
  await untilBound("ours");
  await cluster.client.resource(leases).in("kube-system").get("of-the-flag", signal);
  const others = await cluster.client.resource(pods).in("default").get("others", signal);
  expect(others.spec.nodeName).toBeUndefined();
});

test("of its endpoints the probes are open to all, and the rest only to who may", async () => {
  const port = await findPort();
  const scheduler = start(
    `--secure-port=${port}`,
    `--authentication-kubeconfig=${cluster.kubeconfig}`,
    `--authorization-kubeconfig=${cluster.kubeconfig}`,
  );
  await scheduler.logged("listens", `port=${port}`);
  await createPod("pod");
  await untilBound("pod");
  for (const path of ["/healthz", "/livez", "/readyz"]) {
    expect(await askEndpoint(port, path)).toMatchObject({ status: 200, body: "ok" });
  }
  // As upstream prints them.
  for (const [path, body] of [
    ["/healthz?verbose", "[+]leaderElection ok\nhealthz check passed\n"],
    ["/livez?verbose", "[+]ping ok\nlivez check passed\n"],
    ["/readyz?verbose", "[+]leaderElection ok\n[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n"],
  ] as const) {
    expect(await askEndpoint(port, path)).toMatchObject({ status: 200, body });
  }
  const headers = { authorization: `Bearer ${cluster.token}` };
  for (const [path, text] of [
    ["/metrics", 'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1'],
    ["/metrics", "rest_client_requests_total{"],
    ["/metrics/resources", "kube_pod_resource_request"],
    ["/readyz/shutdown", "ok"],
    ["/configz", '"componentconfig"'],
    ["/flagz", "kube-scheduler flagz"],
    ["/statusz", "kube-scheduler statusz"],
  ] as const) {
    const refused = [
      await askEndpoint(port, path),
      await askEndpoint(port, path, { headers: { authorization: "Bearer no" } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 401]);
    const answer = await askEndpoint(port, path, { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain(text);
  }
  const as = (kind: string) => ({ ...headers, accept: `application/json;v=v1beta1;g=config.k8s.io;as=${kind}` });
  const flagz = JSON.parse((await askEndpoint(port, "/flagz", { headers: as("Flagz") })).body) as object;
  expect(flagz).toMatchObject({
    kind: "Flagz",
    apiVersion: "config.k8s.io/v1beta1",
    metadata: { name: "kube-scheduler" },
    flags: { "secure-port": String(port), "leader-elect": "true" },
  });
  const statusz = JSON.parse((await askEndpoint(port, "/statusz", { headers: as("Statusz") })).body) as object;
  expect(statusz).toMatchObject({
    kind: "Statusz",
    binaryVersion: "1.36.4",
    emulationVersion: "1.36",
    paths: ["/configz", "/flagz", "/healthz", "/livez", "/metrics", "/readyz"],
  });
  expect(await askEndpoint(port, "/debug/controllers/", { headers })).toMatchObject({ status: 404 });
});
