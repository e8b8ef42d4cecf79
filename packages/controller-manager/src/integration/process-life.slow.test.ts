// The life of the manager as a process around its API server: found, missing, late, lost and found again, with tokens that change; and on a
// machine that lets it write nothing.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namespaces, serviceAccounts } from "@kubeloop/core/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askEndpoint, findPort, ManagerProcess } from "./manager-process.contract.ts";
import { ServedCluster, untilSeen } from "./process-on-embedded-server.contract.ts";

const { signal } = new AbortController();
let cluster: ServedCluster;
beforeEach(async () => {
  cluster = await ServedCluster.open();
});
afterEach(async () => cluster?.[Symbol.asyncDispose]());

const quiet = ["--secure-port=0", "--controllers=serviceaccount-controller"];
const alone = [...quiet, "--leader-elect=false"];

const createNamespace = (name: string) =>
  cluster.client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
const isServed = (name: string) =>
  untilSeen(cluster.client.resource(serviceAccounts).in(name), "default", () => true, signal);

/** It works: a new namespace gets its service account. */
async function works(name: string): Promise<void> {
  await createNamespace(name);
  await isServed(name);
}

describe("an API server that is lost", () => {
  test("and comes back is worked for again, and what happened meanwhile is caught up with", async () => {
    const manager = cluster.start(alone);
    await works("before");
    await cluster.dropConnections(20);
    await createNamespace("meanwhile");
    await cluster.listenAgain();
    await isServed("meanwhile");
    await works("after");
    manager.kill("SIGTERM");
    expect(await manager.exited).toEqual({ code: 0, signal: null });
  });

  test("for less than the renew deadline leaves the leader leading", async () => {
    const manager = cluster.start([
      ...quiet,
      "--leader-elect-lease-duration=600s",
      "--leader-elect-renew-deadline=500s",
      "--leader-elect-retry-period=200ms",
    ]);
    await works("before");
    await cluster.dropConnections(5);
    await manager.logged("lease not reached");
    await cluster.listenAgain();
    await works("after");
    expect(manager.lines.filter((line) => line.includes("became leader"))).toHaveLength(1);
  });
});

describe("an API server that is not there at the start", () => {
  test("is waited for ten seconds, then the process ends with 1 and upstream's words", async () => {
    await cluster.stopListening();
    const manager = cluster.start(alone);
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain(
      "failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: ",
    );
    expect(manager.lines.filter((line) => line.includes("not healthy yet")).length).toBeGreaterThan(2);
  });

  test("and comes within that time is worked for", async () => {
    await cluster.stopListening();
    const manager = cluster.start(alone);
    await manager.logged("not healthy yet");
    await cluster.listenAgain();
    await works("late");
  });

  test("is waited for without limit by who contends for the lease", async () => {
    await cluster.stopListening();
    const manager = cluster.start([...quiet, "--leader-elect-retry-period=100ms"]);
    await manager.logged("lease not reached");
    await cluster.listenAgain();
    await works("late");
  });

  test("keeps a manager that should look up client authorities from starting, unless it is to tolerate that", async () => {
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
    await works("tolerant");
    expect((await askEndpoint(port, "/healthz")).status).toBe(200);
  });
});

describe("a token", () => {
  test("in a file that is rotated is read again when the server refuses the old one", async () => {
    const tokenFile = await cluster.write("token", cluster.token);
    await cluster.writeKubeconfig(cluster.kubeconfig, { tokenFile });
    const manager = cluster.start(alone);
    await works("before");
    await cluster.stopListening();
    await cluster.listenAgain("another-token");
    await manager.logged("Unauthorized");
    await writeFile(tokenFile, "another-token");
    await works("after");
  });
});

test("a process that may write nothing anywhere starts, with a certificate in memory", async () => {
  const port = await findPort();
  // Nobody can write there, not even root.
  const cwd = process.platform === "linux" ? "/proc" : "/";
  const manager = cluster.start([`--secure-port=${port}`, "--controllers=serviceaccount-controller"], {
    cwd,
    env: { TMPDIR: "/proc/nowhere", TMP: "/proc/nowhere", TEMP: "/proc/nowhere" },
  });
  await works("diskless");
  expect((await askEndpoint(port, "/healthz")).status).toBe(200);
  manager.kill("SIGTERM");
  expect(await manager.exited).toEqual({ code: 0, signal: null });
});

test("a folder for certificates that cannot be written, or holds half a pair, ends the process with 1", async () => {
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

describe("the cluster is", () => {
  test("the one at --master, whatever the kubeconfig says", async () => {
    await cluster.writeKubeconfig(
      cluster.kubeconfig,
      { token: cluster.token },
      `https://127.0.0.1:${await findPort()}`,
    );
    cluster.start([...alone, `--master=${cluster.url}`]);
    await works("master");
  });

  test("the one at --master alone, anonymously", async () => {
    const plain = await cluster.server.listen({ isPlain: true });
    await using _manager = new ManagerProcess([...alone, `--master=${plain.url}`]);
    await works("plain");
  });

  test("none without a flag outside of a pod, also where KUBECONFIG or a file at home name one", async () => {
    const manager = new ManagerProcess(alone, { env: { KUBECONFIG: cluster.kubeconfig, HOME: cluster.folder } });
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain("Using the inClusterConfig");
    expect(manager.stderr).toContain("invalid configuration: ");
    expect(cluster.requests).toEqual([]);
  });
});
