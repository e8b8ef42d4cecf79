// The life of the manager as a process around its API server: found, missing, late, lost and found again, with tokens that change; and on a
// machine that lets it write nothing.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { test as base, describe, expect, vi } from "vitest";
import { askEndpoint, findPort, ManagerProcess } from "./manager-process.contract.ts";
import { ServedCluster, untilSeen } from "./process-on-embedded-server.contract.ts";

// Ends what hangs; nothing is expected of it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const { signal } = new AbortController();
/** Each test has a cluster of its own, so they run at the same time: most of their time is waiting. */
const test = base.extend<{ readonly cluster: ServedCluster }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern.
  cluster: async ({}, use) => {
    await using cluster = await ServedCluster.open();
    await use(cluster);
  },
});

const quiet = ["--secure-port=0", "--controllers=serviceaccount-controller"];
const alone = [...quiet, "--leader-elect=false"];

const createNamespace = (cluster: ServedCluster, name: string) =>
  cluster.client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
const isServed = (cluster: ServedCluster, name: string) =>
  untilSeen(cluster.client.resource(serviceAccounts).in(name), "default", () => true, signal);

/** It works: a new namespace gets its service account. */
async function works(cluster: ServedCluster, name: string): Promise<void> {
  await createNamespace(cluster, name);
  await isServed(cluster, name);
}

describe.concurrent("an API server that is lost", () => {
  test.concurrent("and comes back is worked for again, and what happened meanwhile is caught up with", async ({
    cluster,
  }) => {
    const manager = cluster.start(alone);
    await works(cluster, "before");
    await cluster.dropConnections(20);
    await createNamespace(cluster, "meanwhile");
    await cluster.listenAgain();
    await isServed(cluster, "meanwhile");
    await works(cluster, "after");
    manager.kill("SIGTERM");
    expect(await manager.exited).toEqual({ code: 0, signal: null });
  });

  test.concurrent("for less than the renew deadline leaves the leader leading", async ({ cluster }) => {
    const manager = cluster.start([
      ...quiet,
      "--leader-elect-lease-duration=600s",
      "--leader-elect-renew-deadline=500s",
      "--leader-elect-retry-period=200ms",
    ]);
    await works(cluster, "before");
    await cluster.dropConnections(5);
    await manager.logged("lease not reached");
    await cluster.listenAgain();
    await works(cluster, "after");
    expect(manager.lines.filter((line) => line.includes("became leader"))).toHaveLength(1);
  });
});

describe.concurrent("an API server that is not there at the start", () => {
  test.concurrent("is waited for ten seconds, then the process ends with 1 and upstream's words", async ({
    cluster,
  }) => {
    await cluster.stopListening();
    const manager = cluster.start(alone);
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain(
      "failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: ",
    );
    expect(manager.lines.filter((line) => line.includes("not healthy yet")).length).toBeGreaterThan(2);
  });

  test.concurrent("and comes within that time is worked for", async ({ cluster }) => {
    await cluster.stopListening();
    const manager = cluster.start(alone);
    await manager.logged("not healthy yet");
    await cluster.listenAgain();
    await works(cluster, "late");
  });

  test.concurrent("is waited for without limit by who contends for the lease", async ({ cluster }) => {
    await cluster.stopListening();
    const manager = cluster.start([...quiet, "--leader-elect-retry-period=100ms"]);
    await manager.logged("lease not reached");
    await cluster.listenAgain();
    await works(cluster, "late");
  });

  test.concurrent("keeps a manager that should look up client authorities from starting, unless it is to tolerate that", async ({
    cluster,
  }) => {
    const port = await findPort();
    const dead = join(cluster.folder, "dead");
    await cluster.writeKubeconfig(dead, { token: "x" }, `https://127.0.0.1:${await findPort()}`);
    const args = [
      `--secure-port=${port}`,
      "--controllers=serviceaccount-controller",
      `--authentication-kubeconfig=${dead}`,
    ];
    const strict = cluster.start(args);
    expect(await strict.exited).toEqual({ code: 1, signal: null });
    const tolerant = cluster.start([...args, "--authentication-tolerate-lookup-failure"]);
    await tolerant.logged("Unable to get configmap/extension-apiserver-authentication in kube-system");
    await works(cluster, "tolerant");
    expect((await askEndpoint(port, "/healthz")).status).toBe(200);
  });
});

describe.concurrent("a token", () => {
  test.concurrent("in a file that is rotated is read again when the server refuses the old one", async ({
    cluster,
  }) => {
    const tokenFile = await cluster.write("token", cluster.token);
    await cluster.writeKubeconfig(cluster.kubeconfig, { tokenFile });
    const manager = cluster.start(alone);
    await works(cluster, "before");
    await cluster.stopListening();
    await cluster.listenAgain("another-token");
    await manager.logged("Unauthorized");
    await writeFile(tokenFile, "another-token");
    await works(cluster, "after");
  });
});

test.concurrent("a process that may write nothing anywhere starts, with a certificate in memory", async ({
  cluster,
}) => {
  const port = await findPort();
  // Nobody can write there, not even root.
  const cwd = process.platform === "linux" ? "/proc" : "/";
  const manager = cluster.start([`--secure-port=${port}`, "--controllers=serviceaccount-controller"], {
    cwd,
    env: { TMPDIR: "/proc/nowhere", TMP: "/proc/nowhere", TEMP: "/proc/nowhere" },
  });
  await works(cluster, "diskless");
  expect((await askEndpoint(port, "/healthz")).status).toBe(200);
  manager.kill("SIGTERM");
  expect(await manager.exited).toEqual({ code: 0, signal: null });
});

test.concurrent("a folder for certificates that cannot be written, or holds half a pair, ends the process with 1", async ({
  cluster,
}) => {
  const port = await findPort();
  const folder = join(await cluster.write("file", ""), "folder");
  const cannot = cluster.start([`--secure-port=${port}`, `--cert-dir=${folder}`]);
  expect(await cannot.exited).toEqual({ code: 1, signal: null });
  expect(cannot.stderr).toContain(`ENOTDIR: not a directory, mkdir '${folder}'`);
  await cluster.write("kube-controller-manager.key", "half");
  const half = cluster.start([`--secure-port=${port}`, `--cert-dir=${cluster.folder}`]);
  expect(await half.exited).toEqual({ code: 1, signal: null });
  expect(half.stderr).toContain("certificate and key must be supplied as a pair");
});

describe.concurrent("the cluster is", () => {
  test.concurrent("the one at --master, whatever the kubeconfig says", async ({ cluster }) => {
    await cluster.writeKubeconfig(
      cluster.kubeconfig,
      { token: cluster.token },
      `https://127.0.0.1:${await findPort()}`,
    );
    cluster.start([...alone, `--master=${cluster.url}`]);
    await works(cluster, "master");
  });

  test.concurrent("the one at --master alone, anonymously", async ({ cluster }) => {
    const plain = await cluster.server.listen({ isPlain: true });
    await using _manager = new ManagerProcess([...alone, `--master=${plain.url}`]);
    await works(cluster, "plain");
  });

  test.concurrent("none without a flag outside of a pod, also where KUBECONFIG or a file at home name one", async ({
    cluster,
  }) => {
    const manager = new ManagerProcess(alone, { env: { KUBECONFIG: cluster.kubeconfig, HOME: cluster.folder } });
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain("Using the inClusterConfig");
    expect(manager.stderr).toContain("invalid configuration: ");
    expect(cluster.requests).toEqual([]);
  });
});
