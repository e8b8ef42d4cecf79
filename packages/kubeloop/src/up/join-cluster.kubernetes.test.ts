// `kubeloop up --kubeconfig` on a real kube-apiserver and etcd: what it does there is what it does on its own server.
import { EventEmitter } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deferred, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { deployments, leases, nodes, pods } from "@kubeloop/core/resources";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  cluster = await RealCluster.start({}, signal);
  folder = await mkdtemp(join(tmpdir(), "kubeloop-join-"));
  kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig("admin", { token: cluster.adminToken }));
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const world = (print: (text: string) => void) => ({
  folder,
  clock: systemClock,
  host: new EventEmitter(),
  print,
  complain: () => {},
});

test("a deployment on a real server gets pods that are scheduled and run", async () => {
  const stop = new AbortController();
  const ready = deferred<string>();
  const options = parseUpOptions(["--json", "--nodes=2", `--kubeconfig=${kubeconfig}`]);
  const ended = up(options, world(ready.resolve), stop.signal);
  try {
    const told = JSON.parse(await Promise.race([ready.promise, ended.then(() => "{}")])) as { server: string };
    expect(told.server).toBe(cluster.url);
    await using client = openClient(await loadClusterConfig({ path: kubeconfig }, signal));
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    const inDefault = client.resource(deployments).in("default");
    await inDefault.create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }, signal);
    const available = async () => (await inDefault.get("web", signal)).status?.availableReplicas;
    await expect.poll(available, { timeout: 60_000 }).toBe(3);
    for (const name of ["kube-controller-manager", "kube-scheduler"]) {
      const lease = await client.resource(leases).in("kube-system").get(name, signal);
      expect(lease.spec?.holderIdentity).not.toBe("");
    }
    await inDefault.delete("web", {}, signal);
    const left = async () => {
      const names = [];
      for await (const { metadata } of client.resource(pods).in("default").list({}, signal)) names.push(metadata.name);
      return names;
    };
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
  } finally {
    stop.abort();
    await ended;
  }
});

test("a node of somebody else is not taken over", async () => {
  await using client = openClient(await loadClusterConfig({ path: kubeconfig }, signal));
  await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name: "node-3" } }, signal);
  const options = parseUpOptions(["--json", `--kubeconfig=${kubeconfig}`]);
  await expect(
    up(
      options,
      world(() => {}),
      signal,
    ),
  ).rejects.toEqual(new UsageError(`up: ${cluster.url} has a node node-3 that is not hollow; run with --nodes 0`));
});

test("a kubeconfig that is not there is one sentence", async () => {
  const options = parseUpOptions(["--json", "--kubeconfig=/nowhere/kubeconfig"]);
  await expect(
    up(
      options,
      world(() => {}),
      signal,
    ),
  ).rejects.toThrow(/^up: .*\/nowhere\/kubeconfig/);
});
