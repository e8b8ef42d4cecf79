// `kubeloop up --kubeconfig` on a real kube-apiserver and etcd: what it does there is what it does on its own server.
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { corev1 } from "@kubeloop/core/api";
import { deferred, systemClock } from "@kubeloop/core/base";
import { loadClusterConfig, openClient } from "@kubeloop/core/client";
import { deployments, leases, nodes, pods } from "@kubeloop/core/resources";
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { kubectlFor } from "./kubectl.fixture.ts";
import { up } from "./up.ts";
import { parseUpOptions } from "./up-options.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  cluster = await RealCluster.start({ users: [{ user: "visitor" }] }, signal);
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

test("kubectl logs, exec and attach reach the nodes through a real server, and port-forward says why not", async () => {
  const stop = new AbortController();
  const ready = deferred<string>();
  const options = parseUpOptions(["--json", "--nodes=2", "--speed=10", `--kubeconfig=${kubeconfig}`]);
  const ended = up(options, world(ready.resolve), stop.signal);
  try {
    await Promise.race([ready.promise, ended]);
    await using client = openClient(await loadClusterConfig({ path: kubeconfig }, signal));
    const kubectl = await kubectlFor(kubeconfig, signal);
    const shell = (script: string) => ({ name: "c", image: "busybox", command: ["sh", "-c", script] });
    const specs: Readonly<Record<string, corev1.PodSpec>> = {
      said: { containers: [shell("echo one; echo two; sleep 3600")] },
      slow: { restartPolicy: "Never", containers: [shell("echo one; sleep 10; echo two")] },
    };
    for (const [name, spec] of Object.entries(specs))
      await client
        .resource(pods)
        .in("default")
        .create({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec }, signal);
    const waited = await kubectl(["wait", "pod/said", "pod/slow", "--for=condition=Ready", "--timeout=60s"]);
    expect(waited).toMatchObject({ code: 0 });

    const [followed, attached] = await Promise.all([kubectl(["logs", "-f", "slow"]), kubectl(["attach", "slow"])]);
    expect(followed).toEqual({ code: 0, stdout: "one\ntwo\n", stderr: "" });
    expect(attached).toMatchObject({ code: 0, stdout: "two\n" });
    expect(await kubectl(["logs", "said", "--tail=1"])).toEqual({ code: 0, stdout: "two\n", stderr: "" });
    expect(await kubectl(["logs", "said", "-c", "c", "--previous"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('previous terminated container "c" in pod "said" not found'),
    });
    expect(await kubectl(["exec", "said", "--", "echo", "hello", "there"])).toEqual({
      code: 0,
      stdout: "hello there\n",
      stderr: "",
    });
    expect(await kubectl(["exec", "-i", "said", "--", "sh"], "echo in; exit 3\n")).toMatchObject({
      code: 3,
      stdout: "in\n",
    });
    expect(await kubectl(["exec", "said", "--", "psql"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("kubeloop.dev/exec scripts what a command answers"),
    });
    expect(await kubectl(["port-forward", "pod/said", ":80"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hollow nodes have no network to forward to"),
    });

    const { status } = await client.resource(nodes).get("node-1", signal);
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
    const ask = (path: string, token?: string) => askKubelet(`https://${address}:${port}${path}`, token);
    const logs = "/containerLogs/default/said/c";
    expect(await ask("/healthz", cluster.adminToken)).toEqual([200, "ok"]);
    expect(await ask(logs, cluster.adminToken)).toEqual([200, "one\ntwo\n"]);
    expect(await ask(logs)).toEqual([401, "Unauthorized"]);
    expect(await ask(logs, "nobody's")).toEqual([401, "Unauthorized"]);
    const forbidden = "Forbidden (user=visitor, verb=get, resource=nodes, subresource(s)=[proxy])\n";
    expect(await ask(logs, cluster.token("visitor"))).toEqual([403, forbidden]);
  } finally {
    stop.abort();
    await ended;
  }
});

/** Whatever its certificate, as a kube-apiserver without --kubelet-certificate-authority. */
async function askKubelet(url: string, token?: string): Promise<readonly [number | undefined, string]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const [response] = (await once(get(url, { rejectUnauthorized: false, headers }), "response")) as [IncomingMessage];
  return [response.statusCode, await text(response)];
}

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
