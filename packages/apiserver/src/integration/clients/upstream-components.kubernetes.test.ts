// Upstream's kube-controller-manager and kube-scheduler 1.36, as they are built, on the embedded server: elected by leases, they make a
// Deployment's pods, bind them to a node, and clean up after it and after a namespace.
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type corev1, isNotFound } from "@kubeloop/core/api";
import { Cleanup, systemClock } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import {
  configMaps,
  deployments,
  leases,
  namespaces,
  nodes,
  pods,
  replicaSets,
  serviceAccounts,
} from "@kubeloop/core/resources";
import { findBinaries, SupervisedProcess } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { ApiServer } from "../../api-server.ts";
import { writeKubeconfig } from "./kubeconfig.contract.ts";

const { signal } = new AbortController();
const programs = ["kube-controller-manager", "kube-scheduler"] as const;
const lookEveryMs = 100;
const patienceMs = 100_000;

const cleanup = new Cleanup();
let client: Client;
let folder: string;

beforeAll(async () => {
  const binaries = await findBinaries(programs, {}, signal);
  folder = await mkdtemp(join(tmpdir(), "kubeloop-upstream-"));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const server = cleanup.use(await ApiServer.open());
  client = clientOf(server.transport);
  const { url, admin } = await server.listen();
  const access = { url, caPem: admin.caPem ?? "", token: admin.token };
  const kubeconfig = await writeKubeconfig(join(folder, "kubeconfig"), access);
  const caFile = join(folder, "ca.crt");
  await writeFile(caFile, access.caPem);
  const keyFile = join(folder, "service-account.key");
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  await writeFile(keyFile, privateKey, { mode: 0o600 });
  const common = [`--kubeconfig=${kubeconfig}`, "--secure-port=0", "--leader-elect=true"];
  const own = {
    "kube-controller-manager": [`--service-account-private-key-file=${keyFile}`, `--root-ca-file=${caFile}`],
    "kube-scheduler": [],
  };
  for (const program of programs) {
    const process = await SupervisedProcess.start({
      path: binaries.get(program) ?? "",
      flags: [...common, ...own[program]],
      logPath: logPath(program),
      throwAwayFolder: folder,
    });
    cleanup.defer(() => process.kill());
  }
});
afterAll(() => cleanup[Symbol.asyncDispose]());

const logPath = (program: string) => join(folder, `${program}.log`);

/** What they said is why a fact does not hold. */
async function printLogs(): Promise<void> {
  for (const program of programs) {
    const text = await readFile(logPath(program), "utf8").catch(() => "");
    console.log(`${program}:\n${text.split("\n").slice(-40).join("\n")}`);
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const lastMs = systemClock.monotonic() + patienceMs;
  for (;;) {
    const seen = await look().catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (seen !== undefined && seen !== false) return seen;
    if (systemClock.monotonic() > lastMs) throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    await systemClock.sleep(lookEveryMs, signal);
  }
}

async function podsOf(within: string): Promise<readonly corev1.Pod[]> {
  const found: corev1.Pod[] = [];
  for await (const pod of client.resource(pods).in(within).list({}, signal)) found.push(pod as corev1.Pod);
  return found;
}

const isGone = (getting: Promise<unknown>) =>
  getting.then(
    () => false,
    (error: unknown) => isNotFound(error),
  );

async function addNamespace(name: string): Promise<string> {
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  // Without it no pod is admitted.
  await until("its account", () => client.resource(serviceAccounts).in(name).get("default", signal));
  return name;
}

/** One that has room and says that it is ready, as its kubelet would. */
async function addNode(name: string): Promise<void> {
  const room = { cpu: "4", memory: "8Gi", pods: "110" };
  await client.resource(nodes).create({ apiVersion: "v1", kind: "Node", metadata: { name } }, signal);
  const now = new Date(systemClock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const ready = {
    type: "Ready",
    status: "True",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason: "KubeletReady",
  };
  const body = { status: { capacity: room, allocatable: room, conditions: [ready] } };
  await client.resource(nodes).subresource("status").patch(name, { type: "merge", body }, signal);
}

async function addDeployment(namespace: string, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "main", image: "example.com/main:1" }];
  await client
    .resource(deployments)
    .in(namespace)
    .create(
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          // No kubelet confirms that a pod has ended.
          template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } },
        },
      },
      signal,
    );
}

describe("upstream's kube-controller-manager and kube-scheduler run on the embedded server", () => {
  test("each is elected by its lease", async () => {
    onTestFailed(printLogs);
    for (const program of programs)
      await until(`${program} leads`, async () => {
        const { spec } = await client.resource(leases).in("kube-system").get(program, signal);
        return spec?.holderIdentity;
      });
  });

  test("a namespace gets its service account and the root certificate", async () => {
    onTestFailed(printLogs);
    const namespace = await addNamespace("accounts");
    const map = await until("the certificate", () =>
      client.resource(configMaps).in(namespace).get("kube-root-ca.crt", signal),
    );
    expect(map.data?.["ca.crt"]).toContain("BEGIN CERTIFICATE");
  });

  test("a deployment becomes pods, the scheduler binds them, and all go with it", async () => {
    onTestFailed(printLogs);
    const namespace = await addNamespace("background");
    await addNode("here");
    await addDeployment(namespace, "web", 3);
    await until("three pods on the node", async () => {
      const found = await podsOf(namespace);
      return found.length === 3 && found.every(({ spec }) => spec?.nodeName === "here");
    });
    await until("the status", async () => {
      const { status } = await client.resource(deployments).in(namespace).get("web", signal);
      return status?.updatedReplicas === 3;
    });
    await client.resource(deployments).in(namespace).delete("web", { propagationPolicy: "Background" }, signal);
    await until("the pods are collected", async () => (await podsOf(namespace)).length === 0);
    await until("the replica sets are collected", async () => {
      for await (const _ of client.resource(replicaSets).in(namespace).list({}, signal)) return false;
      return true;
    });
  });

  test("foreground: the deployment goes after its pods", async () => {
    onTestFailed(printLogs);
    const namespace = await addNamespace("foreground");
    await addDeployment(namespace, "front", 2);
    await until("two pods", async () => (await podsOf(namespace)).length === 2);
    await client.resource(deployments).in(namespace).delete("front", { propagationPolicy: "Foreground" }, signal);
    await until("it is gone", () => isGone(client.resource(deployments).in(namespace).get("front", signal)));
    expect(await podsOf(namespace)).toEqual([]);
  });

  test("a namespace goes with all that is in it", async () => {
    onTestFailed(printLogs);
    const namespace = await addNamespace("deleted");
    await client
      .resource(configMaps)
      .in(namespace)
      .create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "content" } }, signal);
    await addDeployment(namespace, "last", 1);
    await until("a pod", async () => (await podsOf(namespace)).length === 1);
    await client.resource(namespaces).delete(namespace, {}, signal);
    await until("the namespace is gone", () => isGone(client.resource(namespaces).get(namespace, signal)));
    expect(await podsOf(namespace)).toEqual([]);
    await expect(client.resource(configMaps).in(namespace).get("content", signal)).rejects.toSatisfy(isNotFound);
  });
});
