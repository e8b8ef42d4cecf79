// The manager as a process for a real kube-apiserver with RBAC, each controller with its own service account: who may read its endpoints, who
// leads, what it does when the server is lost or an account's token is refused; and that no request of all this was forbidden.
import { join } from "node:path";
import { type corev1, parseTime, type rbacv1 } from "@kubeloop/core/api";
import { systemClock } from "@kubeloop/core/base";
import type { Client } from "@kubeloop/core/client";
import {
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  nodes,
  serviceAccounts,
} from "@kubeloop/core/resources";
import { RealCluster } from "@kubeloop/real-cluster";
import { allScenarios } from "@kubeloop/scenarios";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllerDescriptors } from "../app/index.ts";
import { networkFlags } from "./manager-flags.contract.ts";
import { askEndpoint, type EndpointRequest, findPort, ManagerProcess } from "./manager-process.contract.ts";
import { untilSeen } from "./process-on-embedded-server.contract.ts";
import { adminClient, runOnRealCluster } from "./scenario-on-real-cluster.contract.ts";
import { AuditLog } from "./write-requests.contract.ts";

const { signal } = new AbortController();
const written = controllerDescriptors.filter(({ start }) => start !== undefined);
const areAll = process.env["KUBELOOP_SCENARIOS"] === "all";
/** How long the server is away: a minute in `npm run test:long`. */
const outageMs = areAll ? 60_000 : 3000;

let cluster: RealCluster;
let client: Client;
let audit: AuditLog;
beforeAll(async () => {
  audit = await AuditLog.open({ hasReads: true });
  const users = [{ user: "scraper" }];
  cluster = await RealCluster.start({ users, extraFlags: { "kube-apiserver": audit.flags } }, signal);
  client = adminClient(cluster);
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
  await audit?.[Symbol.asyncDispose]();
});

const file = (name: string) => join(cluster.folder, name);

/** Its own log tells when it is ready. */
function start(controllers: readonly string[], ...args: readonly string[]): ManagerProcess {
  const kubeconfig = file("kube-controller-manager.kubeconfig");
  return new ManagerProcess([
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--use-service-account-credentials",
    `--service-account-private-key-file=${file("service-account.key")}`,
    `--root-ca-file=${file("ca.crt")}`,
    `--controllers=${controllers.join(",")}`,
    ...args,
  ]);
}

async function leads(manager: ManagerProcess): Promise<string> {
  return /identity="([^"]+)"/.exec(await manager.logged("became leader"))?.[1] ?? "";
}

const leaseFlags = (name: string, leaseSeconds: number, renewSeconds: number) => [
  "--secure-port=0",
  `--leader-elect-resource-name=${name}`,
  `--leader-elect-lease-duration=${leaseSeconds}s`,
  `--leader-elect-renew-deadline=${renewSeconds}s`,
  "--leader-elect-retry-period=500ms",
];

/** It works: a new namespace gets its service account. */
async function works(name: string): Promise<void> {
  await client.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  await untilSeen(client.resource(serviceAccounts).in(name), "default", () => true, signal);
}

describe.concurrent("a manager", () => {
  test("whose controllers have the roles of their accounts alone does what they are for", {
    timeout: 600_000,
  }, async () => {
    const names = written.map(({ name }) => name).filter((name) => name !== "ttl-controller");
    await using manager = start(names, "--secure-port=0", "--leader-elect=false", ...networkFlags);
    // A controller that finds things as it starts may tell of them twice: a pod and the taint of its node, one after the other.
    for (const name of names) await manager.logged("Caches are synced", `controller="${name}"`);
    await Promise.all(names.map(runScenarios));
  });

  test("that leads serves its endpoints to whom the cluster's roles allow it, by token and by certificate", async () => {
    const rules: rbacv1.PolicyRule[] = [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }];
    const rbac = "rbac.authorization.k8s.io";
    await client
      .resource(clusterRoles)
      .create({ apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "scraper" }, rules }, signal);
    const binding: rbacv1.ClusterRoleBinding = {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "scraper" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "scraper" },
      subjects: [{ apiGroup: rbac, kind: "User", name: "scraper" }],
    };
    await client.resource(clusterRoleBindings).create(binding, signal);
    const port = await findPort();
    await using manager = start(
      ["garbage-collector-controller"],
      `--secure-port=${port}`,
      "--leader-elect-resource-name=endpoints",
      "--authorization-webhook-cache-authorized-ttl=0s",
      "--authorization-webhook-cache-unauthorized-ttl=1h",
    );
    await leads(manager);
    const [scraper, master] = await Promise.all([
      cluster.clientCertificate({ user: "scraper" }),
      cluster.clientCertificate({ user: "root", groups: ["system:masters"] }),
    ]);
    const token = (text: string): EndpointRequest => ({ headers: { authorization: `Bearer ${text}` } });
    const rows: readonly (readonly [who: string, how: EndpointRequest, metrics: number, configz: number])[] = [
      ["nobody", {}, 403, 403],
      ["an unknown token", token("wrong"), 401, 401],
      ["the token of who has a role", token(cluster.token("scraper")), 200, 403],
      ["the certificate of who has a role", { cert: scraper.certPem, key: scraper.keyPem }, 200, 403],
      ["the administrator's token", token(cluster.adminToken), 200, 200],
      ["an administrator's certificate", { cert: master.certPem, key: master.keyPem }, 200, 200],
    ];
    const statuses = await Promise.all(
      rows.map(async ([who, how]) => {
        const [metrics, configz] = await Promise.all([
          askEndpoint(port, "/metrics", how),
          askEndpoint(port, "/configz", how),
        ]);
        return [who, metrics.status, configz.status];
      }),
    );
    expect(statuses).toEqual(rows.map(([who, , metrics, configz]) => [who, metrics, configz]));
    expect((await askEndpoint(port, "/healthz")).body).toBe("ok");
    // That access is allowed is not remembered here, that it is denied is. No other manager of this file serves endpoints.
    const reviews = async () =>
      (await audit.read()).filter(({ resource }) => resource === "subjectaccessreviews").length;
    const before = await reviews();
    for (const path of ["/metrics", "/metrics", "/configz", "/configz"]) {
      await askEndpoint(port, path, token(cluster.token("scraper")));
    }
    expect((await reviews()) - before).toBe(2);
  });

  test("that stands by leads when the leader was killed and its lease has run out; told to stop, it gives the lease back", async () => {
    const [name, leaseSeconds] = ["replicas", 6];
    const held = client.resource(leases).in("kube-system");
    const controllers = ["serviceaccount-controller"];
    await using first = start(controllers, ...leaseFlags(name, leaseSeconds, 5));
    const killed = await leads(first);
    await using second = start(controllers, ...leaseFlags(name, leaseSeconds, 5));
    await second.logged("another replica leads");
    first.kill("SIGKILL");
    await first.exited;
    const { spec: last = {} } = await held.get(name, signal);
    expect(last.holderIdentity).toBe(killed);
    const successor = await leads(second);
    const { spec = {} } = await untilSeen(held, name, (lease) => lease.spec?.holderIdentity === successor, signal);
    const waitedMs = parseTime(spec.acquireTime ?? "") - parseTime(last.renewTime ?? "");
    expect(waitedMs).toBeGreaterThanOrEqual(leaseSeconds * 1000);
    expect(spec.leaseTransitions).toBe((last.leaseTransitions ?? 0) + 1);
    await works("succession");
    second.kill("SIGTERM");
    expect(await second.exited).toEqual({ code: 0, signal: null });
    expect((await held.get(name, signal)).spec?.holderIdentity ?? "").toBe("");
  });

  test("one of whose accounts was deleted, so that its token is refused, makes the account anew and works on", async () => {
    await using _manager = start(["ttl-controller"], "--secure-port=0", "--leader-elect=false");
    const annotation = "node.alpha.kubernetes.io/ttl";
    const isAnnotated = ({ metadata }: corev1.Node) => metadata.annotations?.[annotation] !== undefined;
    const all = client.resource(nodes);
    const isWorkedFor = async (name: string) => {
      await all.create({ apiVersion: "v1", kind: "Node", metadata: { name } }, signal);
      await untilSeen(all, name, isAnnotated, signal);
      await all.delete(name, {}, signal);
    };
    await isWorkedFor("before");
    const accounts = client.resource(serviceAccounts).in("kube-system");
    const { metadata } = await accounts.get("ttl-controller", signal);
    await accounts.delete("ttl-controller", {}, signal);
    // The server takes a token that it has just seen for some seconds more.
    const isThere = async () => {
      for await (const account of accounts.list({}, signal))
        if (account.metadata.name === "ttl-controller") return true;
      return false;
    };
    for (let count = 0; !(await isThere()); count++) {
      await isWorkedFor(`after-${count}`);
      await systemClock.sleep(500, signal);
    }
    expect((await accounts.get("ttl-controller", signal)).metadata.uid).not.toBe(metadata.uid);
    await isWorkedFor("with-the-new-token");
  });
});

let scenarioCount = 0;

/** The first of a controller, or all. */
async function runScenarios(controller: string): Promise<void> {
  const scenarios = (allScenarios[controller] ?? []).filter(({ needsVirtualTime }) => needsVirtualTime !== true);
  expect([controller, scenarios.length > 0]).toEqual([controller, true]);
  for (const scenario of scenarios.slice(0, areAll ? undefined : 1)) {
    await runOnRealCluster(scenario, { client, namespace: `scenario-${++scenarioCount}` }, signal);
  }
}

/** Where in the audit log the server was not ready: it answers 403 before it has read its roles. */
const unready = { from: 0, to: 0 };

test("a server that is lost and comes back is worked for again", async () => {
  await using manager = start(["serviceaccount-controller"], "--secure-port=0", "--leader-elect=false");
  await works("before");
  unready.from = (await audit.read()).length;
  await cluster.kill();
  await systemClock.sleep(outageMs, signal);
  await cluster.restart();
  unready.to = (await audit.read()).length;
  await works("after");
  manager.kill("SIGTERM");
  expect(await manager.exited).toEqual({ code: 0, signal: null });
});

test("a ttl controller with the role of its account alone does what it is for, among no other nodes", async () => {
  await using _manager = start(["ttl-controller"], "--secure-port=0", "--leader-elect=false");
  await runScenarios("ttl-controller");
});

test("no request of all these managers was forbidden, although each controller has spoken for itself", async () => {
  const requests = (await audit.read()).filter((_, index) => index < unready.from || index >= unready.to);
  expect(requests.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  const users = new Set(requests.map(({ user }) => user));
  for (const { name, serviceAccount } of written) {
    if (serviceAccount === undefined) continue;
    expect([name, users.has(`system:serviceaccount:kube-system:${serviceAccount}`)]).toEqual([name, true]);
  }
  expect(users).toContain("system:kube-controller-manager");
});
