// What flags of the process change that only a process shows: its log, where and how it listens, how long it remembers reviews, where its lease is.
import { connect } from "node:http2";
import { createConnection } from "node:net";
import { networkInterfaces } from "node:os";
import { leases } from "@kubeloop/core/resources";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { askEndpoint, findPort, ManagerProcess } from "./manager-process.contract.ts";
import { ServedCluster, untilSeen } from "./process-on-embedded-server.contract.ts";

// Ends what hangs; nothing is expected of it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const { signal } = new AbortController();
let cluster: ServedCluster;
beforeAll(async () => {
  cluster = await ServedCluster.open();
});
afterAll(async () => cluster?.[Symbol.asyncDispose]());

const alone = ["--leader-elect=false", "--controllers=serviceaccount-controller,ttl-controller"];

/** What it wrote until it had begun to work, and was told to stop. */
async function logOf(...args: readonly string[]): Promise<ManagerProcess> {
  const manager = cluster.start([...alone, "--secure-port=0", ...args]);
  await manager.logged("Started controller", "serviceaccount-controller");
  await manager.logged("Started controller", "ttl-controller");
  return manager;
}

const klogLine = /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ \S+\] ".*"/;

describe("the log", () => {
  test("is klog's text on standard error, without details", async () => {
    const manager = await logOf();
    for (const line of manager.stderr.trimEnd().split("\n")) expect(line).toMatch(klogLine);
    expect(manager.stdout).toBe("");
    expect(manager.stderr).not.toContain('"Starting controller"');
    expect(manager.stderr).not.toContain("listens");
  });

  test("has the details with -v=4", async () => {
    const manager = await logOf("-v=4");
    await manager.logged('"Starting controller"', "ttl-controller");
    await manager.logged('"reconciled"', 'controller="serviceaccount-controller"');
  });

  test("has the details of those that --vmodule names", async () => {
    const manager = await logOf("--vmodule=serviceaccount-c*=4");
    await manager.logged('"reconciled"', 'controller="serviceaccount-controller"');
    const details = manager.lines.filter((line) => line.includes('"Starting controller"'));
    expect(details.map((line) => /controller="([^"]+)"/.exec(line)?.[1])).toEqual(["serviceaccount-controller"]);
  });

  test("is JSON, a document per line, with --logging-format=json", async () => {
    const manager = await logOf("--logging-format=json");
    const lines = manager.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "info", v: 0, msg: "Started controller", controller: "ttl-controller" }),
    );
  });

  test.each([
    ["text", "--log-text-split-stream"],
    ["json", "--log-json-split-stream"],
  ])("as %s is split over both streams with %s", async (format, flag) => {
    const manager = await logOf(`--logging-format=${format}`, flag, "--feature-gates=LoggingAlphaOptions=true");
    expect(manager.stdout).toContain("Started controller");
    expect(manager.stderr).not.toContain("Started controller");
  });
});

describe("the process prints and ends with 0 for", () => {
  test.each([
    ["--version", /^Kubernetes v1\.36\.\d+/],
    ["--help", /--leader-elect-lease-duration/],
    ["--list-controllers", /replicaset-controller/],
    ["--list-feature-gates", /ControllerManagerReleaseLeaderElectionLockOnExit/],
  ])("%s", async (flag, text) => {
    const manager = new ManagerProcess([flag]);
    expect(await manager.exited).toEqual({ code: 0, signal: null });
    expect(manager.stdout).toMatch(text);
    expect(manager.stderr).toBe("");
  });
});

describe("the process complains and ends with 1 for", () => {
  test.each([
    ["--no-such-flag", "unknown flag: --no-such-flag"],
    ["--controllers=nonsense", 'nonsense\\" is not in the list of known controllers'],
    ["--leader-elect-lease-duration=soon", 'invalid argument "soon"'],
  ])("%s", async (flag, complaint) => {
    const manager = new ManagerProcess([flag]);
    expect(await manager.exited).toEqual({ code: 1, signal: null });
    expect(manager.stderr).toContain(complaint);
  });
});

test("a flag without effect yet is warned about at the start", async () => {
  const manager = await logOf("--concurrent-job-syncs=3");
  await manager.logged("flag has no effect yet", 'flag="--concurrent-job-syncs"');
});

/** Whether somebody listens there. */
const canConnect = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

describe("it listens", () => {
  const outer = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

  test("on all addresses, unless --bind-address names one", async () => {
    const [everywhere, here] = [await findPort(), await findPort()];
    const kubeconfig = `--kubeconfig=${cluster.kubeconfig}`;
    await using all = new ManagerProcess([kubeconfig, ...alone, `--secure-port=${everywhere}`]);
    const one = cluster.start([...alone, `--secure-port=${here}`]);
    await Promise.all([all.logged("listens"), one.logged("listens", 'address="127.0.0.1"')]);
    const reached = await Promise.all([everywhere, here].map((port) => canConnect("127.0.0.1", port)));
    expect(reached).toEqual([true, true]);
    if (outer === undefined) return;
    expect(await Promise.all([everywhere, here].map((port) => canConnect(outer, port)))).toEqual([true, false]);
  });

  test("with so many streams on a connection as --http2-max-streams-per-connection says", async () => {
    const port = await findPort();
    const manager = cluster.start([...alone, `--secure-port=${port}`, "--http2-max-streams-per-connection=7"]);
    await manager.logged("listens");
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const settings = await new Promise<{ maxConcurrentStreams?: number | undefined }>((resolve, reject) => {
      session.once("remoteSettings", resolve);
      session.once("error", reject);
    });
    session.destroy();
    expect(settings.maxConcurrentStreams).toBe(7);
  });

  test("on a port that others listen on, where --permit-port-sharing and Node permit it", async () => {
    const port = await findPort();
    const shared = () => cluster.start([...alone, `--secure-port=${port}`, "--permit-port-sharing"]);
    const first = shared();
    await first.logged("listens");
    const second = shared();
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    if (major > 23 || (major === 23 && minor >= 1)) {
      await second.logged("listens");
    } else {
      await second.logged("--permit-port-sharing has no effect");
      expect(await second.exited).toEqual({ code: 1, signal: null });
    }
  });
});

describe("reviews are remembered as long as the flags say", () => {
  test.each([
    ["1h", "1h", 1],
    ["0s", "0s", 3],
  ])("tokens %s, access %s: %i for three requests", async (tokenTtl, accessTtl, expected) => {
    const port = await findPort();
    const manager = cluster.start([
      ...alone,
      `--secure-port=${port}`,
      `--authentication-kubeconfig=${cluster.kubeconfig}`,
      `--authorization-kubeconfig=${cluster.kubeconfig}`,
      `--authentication-token-webhook-cache-ttl=${tokenTtl}`,
      `--authorization-webhook-cache-unauthorized-ttl=${accessTtl}`,
    ]);
    await manager.logged("listens");
    cluster.requests.length = 0;
    const { certPem: cert, keyPem: key } = await cluster.authority.issueClient({ user: "somebody" });
    for (const _ of [1, 2, 3]) {
      const headers = { authorization: `Bearer ${cluster.token}` };
      expect((await askEndpoint(port, "/metrics", { headers })).status).toBe(200);
      expect((await askEndpoint(port, "/metrics", { cert, key })).status).toBe(403);
    }
    const asked = (review: string) => cluster.requests.filter(({ path }) => path.endsWith(review)).length;
    expect(asked("/tokenreviews")).toBe(expected);
    expect(asked("/subjectaccessreviews")).toBe(expected);
    await manager[Symbol.asyncDispose]();
  });
});

test("the lease has the name and the namespace of the flags", async () => {
  cluster.start([
    "--secure-port=0",
    "--leader-elect-resource-name=chief",
    "--leader-elect-resource-namespace=default",
    "--leader-elect-lease-duration=33s",
    "--leader-elect-renew-deadline=22s",
    "--leader-elect-retry-period=11s",
  ]);
  const lease = await untilSeen(cluster.client.resource(leases).in("default"), "chief", () => true, signal);
  expect(lease.spec).toMatchObject({ leaseDurationSeconds: 33, leaseTransitions: 0 });
});
