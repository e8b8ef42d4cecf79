// The operator on a real kube-apiserver, as the service account that rbac.json makes room for, with its webhook on a socket.
import { type apiextensionsv1, isConditionTrue } from "@kubeloop/core/api";
import {
  type Client,
  clusterConfig,
  inlineCaBundle,
  loadClusterConfig,
  openClient,
  tokenCredentials,
} from "@kubeloop/core/client";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  events,
  ingresses,
  namespaces,
  roleBindings,
  roles,
  services,
  validatingWebhookConfigurations,
} from "@kubeloop/core/resources";
import { fixedCertificate } from "@kubeloop/core/runtime";
import { newObject } from "@kubeloop/core/testing";
import { createAuthority, RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { newOperator, place, rbacManifest, webhookManifest } from "./operator.ts";
import { until } from "./until.fixture.ts";
import { FakeDns, newWebsite, readManifest, startPods } from "./website-cluster.fixture.ts";

const account = `system:serviceaccount:${place.namespace}:${place.name}`;
const stop = new AbortController();
const { signal } = stop;
const dns = new FakeDns();
const old = { namespace: "shop", name: "old" };
let cluster: RealCluster;
let admin: Client;
let operatorClient: Client;
let running: Promise<void>;

beforeAll(async () => {
  cluster = await RealCluster.start({ users: [{ user: account }] }, signal);
  admin = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, signal));
  for (const name of ["shop", place.namespace])
    await admin.resource(namespaces).create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, signal);
  await installCrd();
  await installRbac();

  const authority = await createAuthority("webhooks");
  const pair = await authority.issueServer({ commonName: "webhooks", names: ["127.0.0.1"] });
  operatorClient = openClient(
    clusterConfig({
      server: cluster.url,
      tls: { ca: inlineCaBundle(cluster.caPem), isVerified: true },
      credentials: tokenCredentials(cluster.token(account)),
    }),
  );
  const { manager, webhookServer } = newOperator({
    client: operatorClient,
    dns,
    certificate: fixedCertificate({ certificatePem: pair.certPem, keyPem: pair.keyPem }),
    webhookPort: 0,
  });
  running = manager.run(signal);
  await manager.whenElected(signal);
  // Made before there was a webhook: one that the webhook would refuse.
  await admin.resource(websites).in("shop").create(badWebsite("old"), signal);
  await until(admin, websites, old, (site) => site?.metadata.finalizers?.length === 1, signal);
  const url = `https://127.0.0.1:${webhookServer?.port}`;
  for (const configuration of webhookManifest({ url, caPem: authority.pair.certPem }).items)
    await admin.resource(validatingWebhookConfigurations).create(configuration, signal);
});

afterAll(async () => {
  stop.abort();
  await running;
  await operatorClient[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

async function installCrd(): Promise<void> {
  const crd = readManifest("website-crd.yaml") as apiextensionsv1.CustomResourceDefinition;
  await admin.resource(customResourceDefinitions).create(crd, signal);
  const name = crd.metadata.name ?? "";
  await until(
    admin,
    customResourceDefinitions,
    { name },
    (seen) => isConditionTrue(seen?.status?.conditions, "Established"),
    signal,
  );
}

async function installRbac(): Promise<void> {
  for (const item of rbacManifest().items) {
    const { namespace = "" } = item.metadata;
    if (item.kind === "ClusterRole") await admin.resource(clusterRoles).create(item, signal);
    if (item.kind === "ClusterRoleBinding") await admin.resource(clusterRoleBindings).create(item, signal);
    if (item.kind === "Role") await admin.resource(roles).in(namespace).create(item, signal);
    if (item.kind === "RoleBinding") await admin.resource(roleBindings).in(namespace).create(item, signal);
  }
}

test("a Website gets what it asks for, has drift repaired, and goes after its host", async () => {
  const blog = { namespace: "shop", name: "blog" };
  const sites = admin.resource(websites).in("shop");
  const { replicas: _, ...spec } = newWebsite().spec; // the default of the CRD is 1
  const made = await sites.create({ ...newWebsite(), spec }, signal);
  await until(admin, ingresses, blog, (ingress) => ingress?.spec?.rules?.[0]?.host === "blog.example.com", signal);
  await until(admin, services, blog, (service) => service?.spec?.ports?.[0]?.targetPort === "http", signal);
  const deployment = await admin.resource(deployments).in("shop").get("blog", signal);
  expect(deployment.spec.replicas).toBe(1);

  // Nobody runs pods here.
  await admin.resource(deployments).in("shop").updateStatus(startPods(deployment), signal);
  await until(admin, websites, blog, (site) => isConditionTrue(site?.status?.conditions, "Ready"), signal);
  await admin
    .resource(deployments)
    .in("shop")
    .patch("blog", { type: "merge", body: { spec: { replicas: 7 } } }, signal);
  await until(admin, deployments, blog, (seen) => seen?.spec.replicas === 1, signal);

  await sites.delete("blog", signal);
  await until(admin, websites, blog, (site) => site === undefined, signal);
  expect(dns.removed).toContain("blog.example.com");
  const untold = new Set(["Created", "Ready", "Updated", "DnsRemoved"]);
  for await (const event of admin.resource(events).in("shop").watch({ resourceVersion: "0" }, signal)) {
    if (event.type === "ADDED" && event.object.involvedObject.uid === made.metadata.uid)
      untold.delete(event.object.reason ?? "");
    if (untold.size === 0) break;
  }
});

test("the API server asks the webhook: what is bad is refused, and what is old and bad can still be deleted", async () => {
  const sites = admin.resource(websites).in("shop");
  expect(await refusal(() => sites.create(badWebsite("new"), { dryRun: true }, signal))).toMatch(
    /admission webhook "websites.rules.web.example.com" denied the request: .*spec.image/,
  );
  const label = { type: "merge", body: { metadata: { labels: { a: "b" } } } } as const;
  expect(await refusal(() => sites.patch("old", label, signal))).toMatch(/spec.image/);
  await sites.delete("old", signal);
  await until(admin, websites, old, (site) => site === undefined, signal);
  expect(dns.removed).toContain("old.example.com");
});

function badWebsite(name: string): Website {
  return newObject(websites, `shop/${name}`, { spec: { image: "nginx:latest", host: `${name}.example.com` } });
}

/** The API server needs a moment to notice a new webhook: until then it lets everything pass. */
async function refusal(write: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      await write();
    } catch (error) {
      return (error as Error).message;
    }
  }
}
