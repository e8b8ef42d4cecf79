// The operator on a real kube-apiserver, as the service account that rbac.json makes room for, with its webhook on a socket.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
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
  customResourceDefinitions,
  deployments,
  events,
  ingresses,
  namespaces,
  services,
  validatingWebhookConfigurations,
} from "@kubeloop/core/resources";
import { fixedCertificate } from "@kubeloop/core/runtime";
import { newNamespace, newObject } from "@kubeloop/core/testing";
import { createAuthority, RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { newOperator, place, webhookManifest } from "./operator.ts";
import { until } from "./until.fixture.ts";
import { FakeDns, newWebsite, startPods } from "./website-cluster.fixture.ts";

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
  await admin.resource(namespaces).create(newNamespace("shop"), signal);
  await install("website-crd.yaml", "deploy.yaml", "rbac.json");
  const name = "websites.web.example.com";
  const isEstablished = (crd?: apiextensionsv1.CustomResourceDefinition) =>
    isConditionTrue(crd?.status?.conditions, "Established");
  await until(admin, customResourceDefinitions, { name }, isEstablished, signal);

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

/** As the README says. */
async function install(...manifests: readonly string[]): Promise<void> {
  const files = manifests.flatMap((name) => ["-f", `${__dirname}/${name}`]);
  const flags = ["--kubeconfig", cluster.adminKubeconfigPath, "--validate=strict"];
  await promisify(execFile)(cluster.kubectlPath, ["apply", ...flags, ...files], { signal });
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
