// One cluster with everything in it, looked at from all sides.
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callApi, kubectl } from "./cluster-client.fixture.ts";
import { sendRequest } from "./http-request.ts";
import { readPinnedVersions } from "./programs.ts";
import { RealCluster } from "./real-cluster.ts";

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start({
    controllerManager: true,
    scheduler: true,
    users: [{ user: "jane", groups: ["developers", "testers"] }, { user: "joe" }],
  });
  console.log(`etcd, API server, controller manager and scheduler ready in ${Math.round(cluster.startedInMs)} ms`);
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

interface Review {
  readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } };
}

const whoAmI = async (as: Parameters<typeof callApi>[2]) =>
  callApi(cluster, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    method: "POST",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    ...as,
  });

describe("the API server", () => {
  test("is ready", async () => {
    expect((await callApi(cluster, "/readyz")).text).toBe("ok");
  });

  test("tells the pinned version", async () => {
    const { kubernetes } = await readPinnedVersions();
    expect((await callApi(cluster, "/version")).json()).toMatchObject({
      major: "1",
      minor: "36",
      gitVersion: expect.stringMatching(`^v${kubernetes.split(".").slice(0, 2).join("\\.")}\\.`),
    });
  });

  test("speaks HTTP/2", async () => {
    const { hostname, port } = new URL(cluster.url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: cluster.caPem,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    expect(socket.alpnProtocol).toBe("h2");
    socket.destroy();
  });

  test("is reached under the name localhost too", async () => {
    const { port } = new URL(cluster.url);
    const request = { url: `https://localhost:${port}/livez`, caPem: cluster.caPem };
    expect((await sendRequest(request, new AbortController().signal)).status).toBe(200);
  });
});

describe("kubectl with the admin's kubeconfig", () => {
  test("is of the server's version", async () => {
    const { clientVersion, serverVersion } = JSON.parse(await kubectl(cluster, "version", "--output=json"));
    expect([clientVersion.minor, serverVersion.minor]).toEqual(["36", "36"]);
  });

  test("lists namespaces", async () => {
    const names = (await kubectl(cluster, "get", "namespaces", "--output=name")).trim().split("\n");
    expect(names).toEqual(expect.arrayContaining(["namespace/default", "namespace/kube-system"]));
  });

  test("may do everything", async () => {
    expect(await kubectl(cluster, "auth", "can-i", "*", "*")).toBe("yes\n");
  });
});

describe("authentication", () => {
  test("takes a token's user and groups from the token file", async () => {
    const answer = await whoAmI({ as: { token: cluster.token("jane") } });
    expect(answer.json<Review>().status.userInfo).toMatchObject({
      username: "jane",
      groups: expect.arrayContaining(["developers", "testers", "system:authenticated"]),
    });
  });

  test("takes a client certificate's user and groups from its subject", async () => {
    const answer = await whoAmI({ as: await cluster.clientCertificate({ user: "ann", groups: ["auditors"] }) });
    expect(answer.json<Review>().status.userInfo).toMatchObject({
      username: "ann",
      groups: expect.arrayContaining(["auditors", "system:authenticated"]),
    });
  });

  for (const [name, as, status] of [
    ["refuses a token it does not know", { token: "wrong" }, 401],
    ["lets nobody in particular see nothing", "anonymous", 403],
  ] as const) {
    test(name, async () => {
      expect((await callApi(cluster, "/api/v1/namespaces", { as })).status).toBe(status);
    });
  }

  test("knows who somebody is without letting them in", async () => {
    expect((await callApi(cluster, "/api/v1/namespaces", { as: { token: cluster.token("joe") } })).status).toBe(403);
  });

  test("accepts a ServiceAccount's token", async () => {
    await kubectl(cluster, "create", "serviceaccount", "robot");
    const token = (await kubectl(cluster, "create", "token", "robot")).trim();
    const answer = await whoAmI({ as: { token } });
    expect(answer.json<Review>().status.userInfo.username).toBe("system:serviceaccount:default:robot");
  });

  test("has no token for strangers", () => {
    expect(() => cluster.token("nobody")).toThrow("no token was made for user nobody");
  });
});

describe("what the cluster keeps to itself", () => {
  test("secrets are readable by their owner only", async () => {
    for (const path of [cluster.adminKubeconfigPath, `${cluster.folder}/tokens.csv`, `${cluster.folder}/ca.key`]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
    expect((await stat(cluster.folder)).mode & 0o777).toBe(0o700);
  });

  test.runIf(process.platform === "linux")("no component listens anywhere but on 127.0.0.1", async () => {
    const inodes = new Set((await Promise.all(cluster.pids.map(socketsOf))).flat());
    const listening = (await listeners()).filter(({ inode }) => inodes.has(inode));
    expect(listening).toHaveLength(3); // API server, controller manager, scheduler; etcd has Unix sockets only
    expect(listening.map(({ address }) => address)).toEqual(["0100007F", "0100007F", "0100007F"]);
  });
});

describe("the controller manager and the scheduler", () => {
  test("turn a Deployment into a ReplicaSet and pods that nobody can place", async () => {
    await kubectl(cluster, "wait", "--for=create", "serviceaccount/default", "--timeout=60s");
    await kubectl(cluster, "create", "deployment", "web", "--image=example.invalid/web", "--replicas=2");
    await kubectl(cluster, "wait", "--for=create", "replicaset", "--selector=app=web", "--timeout=60s");
    await kubectl(cluster, "wait", "--for=create", "pod", "--selector=app=web", "--timeout=60s");
    const unplaced = "--for=condition=PodScheduled=false";
    await kubectl(cluster, "wait", unplaced, "pod", "--selector=app=web", "--timeout=60s");
    const sets = JSON.parse(await kubectl(cluster, "get", "replicasets", "--selector=app=web", "--output=json"));
    expect(sets.items).toMatchObject([{ spec: { replicas: 2 }, metadata: { ownerReferences: [{ name: "web" }] } }]);
  });

  for (const name of ["kube-controller-manager", "kube-scheduler"] as const) {
    test(`${name} serves its metrics to the admin`, async () => {
      const headers = { authorization: `Bearer ${cluster.adminToken}` };
      const request = { url: `${cluster.urlOf(name)}/metrics`, headers, caPem: cluster.caPem };
      const answer = await sendRequest(request, new AbortController().signal);
      expect(answer.status).toBe(200);
      expect(answer.body).toContain("kubernetes_build_info");
    });
  }
});

/** The inodes of a process's sockets. */
async function socketsOf(pid: number): Promise<readonly string[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")),
  );
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

/** The machine's listening TCP sockets, with their address as the kernel prints it. */
async function listeners(): Promise<readonly { address: string; inode: string }[]> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.trim().split("\n").slice(1)).map((row) => row.trim().split(/\s+/));
  const listens = "0A";
  return rows
    .filter((row) => row[3] === listens)
    .map((row) => ({ address: row[1]?.split(":")[0] ?? "", inode: row[9] ?? "" }));
}
