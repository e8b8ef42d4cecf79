import { findCondition, type Resource } from "@kubeloop/core/api";
import { deployments, ingresses, services } from "@kubeloop/core/resources";
import { type FakeCluster, newDeployment } from "@kubeloop/core/testing";
import { describe, expect, test } from "vitest";
import { type Website, websites } from "./generated/web.example.com/v1/website.ts";
import { FakeDns, key, newWebsite, openCluster, startPods } from "./website-cluster.fixture.ts";
import { dnsFinalizer } from "./website-controller.ts";

const children: readonly Resource[] = [deployments, services, ingresses];

function ready(cluster: FakeCluster) {
  return findCondition(cluster.get(websites, key)?.status?.conditions, "Ready");
}

async function untilReady(cluster: FakeCluster): Promise<void> {
  await cluster.eventually(() => cluster.get(ingresses, key));
  cluster.edit(deployments, key, startPods);
  await cluster.eventually(() => ready(cluster)?.status === "True");
  cluster.writes.length = 0;
}

const withSpec = (spec: Partial<Website["spec"]>) => (website: Website) => ({
  ...website,
  spec: { ...website.spec, ...spec },
});

describe("a new Website", () => {
  test("gets a Deployment, a Service and an Ingress, each its own", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await untilReady(cluster);
    const uid = cluster.get(websites, key)?.metadata.uid;
    for (const resource of children)
      expect(cluster.get(resource, key)?.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
    expect(cluster.get(deployments, key)?.spec).toMatchObject({
      replicas: 2,
      template: { spec: { containers: [{ image: "nginx:1.29" }] } },
    });
    expect(cluster.get(services, key)?.spec?.ports).toMatchObject([{ port: 80, targetPort: "http" }]);
    expect(cluster.get(ingresses, key)?.spec?.rules).toMatchObject([{ host: "blog.example.com" }]);
  });

  test("is held by the finalizer before anything is made", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await cluster.eventually(() => ready(cluster));
    expect(cluster.writes).toEqual([
      `patch websites ${key}`,
      `create deployments ${key}`,
      `create services ${key}`,
      `create ingresses ${key}`,
      `patch websites/status ${key}`,
    ]);
    expect(cluster.get(websites, key)?.metadata.finalizers).toEqual([dnsFinalizer]);
  });

  test("is ready when its pods are, and says so", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await cluster.eventually(() => ready(cluster));
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "Progressing",
      message: "0 of 2 replicas are ready",
    });
    await untilReady(cluster);
    expect(cluster.get(websites, key)?.status).toMatchObject({ url: "http://blog.example.com", readyReplicas: 2 });
    expect(ready(cluster)).toMatchObject({ reason: "Serving", observedGeneration: 1 });
    await cluster.eventually(() => cluster.events.length === 4);
    expect(cluster.events).toEqual([
      "Normal Created: created the deployment",
      "Normal Created: created the service",
      "Normal Created: created the ingress",
      "Normal Ready: serving http://blog.example.com",
    ]);
  });

  test("has one replica unless it says otherwise: the default of the CRD", async () => {
    await using all = openCluster({ website: newWebsite({ spec: { replicas: undefined } }) });
    const { cluster } = all;
    await untilReady(cluster);
    expect(cluster.get(websites, key)?.spec.replicas).toBe(1);
    expect(cluster.get(deployments, key)?.spec.replicas).toBe(1);
  });

  test("does not take what belongs to somebody else", async () => {
    await using all = openCluster({ website: newWebsite({ metadata: { name: "other" } }) });
    const { cluster } = all;
    cluster.create(deployments, newDeployment(key, { spec: { replicas: 7 } }));
    cluster.create(websites, newWebsite());
    await cluster.eventually(() => ready(cluster)?.reason === "NotOwned");
    expect(cluster.get(deployments, key)?.spec.replicas).toBe(7);
    cluster.delete(deployments, key);
    await untilReady(cluster);
    expect(cluster.get(deployments, key)?.spec.replicas).toBe(2);
  });
});

describe("a Website in balance", () => {
  test("is written to no more", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await untilReady(cluster);
    await cluster.clock.advance(600_000);
    expect(cluster.writes).toEqual([]);
    expect(cluster.repeatedWrites).toEqual([]);
  });

  for (const resource of children) {
    test(`gets its ${resource.singular} back`, async () => {
      await using all = openCluster();
      const { cluster } = all;
      await untilReady(cluster);
      cluster.delete(resource, key);
      await cluster.eventually(() => cluster.get(resource, key));
      expect(cluster.writes[0]).toBe(`create ${resource.plural} ${key}`);
    });
  }

  test("has drift repaired, and what others have added stays", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await untilReady(cluster);
    cluster.edit(deployments, key, ({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, annotations: { team: "shop" } },
      spec: { ...spec, replicas: 9 },
    }));
    await cluster.eventually(() => cluster.get(deployments, key)?.spec.replicas === 2);
    expect(cluster.get(deployments, key)?.metadata.annotations).toEqual({ team: "shop" });
    expect(cluster.writes[0]).toBe(`patch deployments ${key}`);
    expect(cluster.repeatedWrites).toEqual([]);
  });

  test("follows its image and its host, and the former host is removed from DNS", async () => {
    await using all = openCluster();
    const { cluster, dns } = all;
    await untilReady(cluster);
    cluster.edit(websites, key, withSpec({ image: "nginx:1.30", host: "news.example.com" }));
    await cluster.eventually(() => cluster.get(websites, key)?.status?.url === "http://news.example.com");
    expect(cluster.get(deployments, key)?.spec.template.spec?.containers[0]?.image).toBe("nginx:1.30");
    expect(cluster.get(ingresses, key)?.spec?.rules?.[0]?.host).toBe("news.example.com");
    expect(dns.removed).toEqual(["blog.example.com"]);
  });
});

describe("a paused Website", () => {
  test("is left alone, and caught up with afterwards", async () => {
    await using all = openCluster();
    const { cluster } = all;
    await untilReady(cluster);
    cluster.edit(websites, key, withSpec({ paused: true, replicas: 5 }));
    cluster.delete(services, key);
    await cluster.clock.advance(60_000);
    expect(cluster.get(services, key)).toBeUndefined();
    expect(cluster.get(deployments, key)?.spec.replicas).toBe(2);
    expect(findCondition(cluster.get(websites, key)?.status?.conditions, "Paused")?.status).toBe("True");
    expect(cluster.writes).toEqual([`patch websites/status ${key}`]);
    cluster.edit(websites, key, withSpec({ paused: false }));
    await cluster.eventually(() => cluster.get(services, key));
    await cluster.eventually(() => cluster.get(websites, key)?.status?.conditions?.length === 1);
    expect(cluster.get(deployments, key)?.spec.replicas).toBe(5);
  });
});

describe("a deleted Website", () => {
  test("goes when its host has been removed from DNS", async () => {
    await using all = openCluster();
    const { cluster, dns } = all;
    await untilReady(cluster);
    cluster.delete(websites, key);
    await cluster.eventually(() => cluster.get(websites, key) === undefined);
    expect(dns.removed).toEqual(["blog.example.com"]);
    expect(cluster.writes).toEqual([`patch websites ${key}`]);
    await cluster.clock.advance(60_000);
    expect(cluster.events.at(-1)).toBe("Normal DnsRemoved: removed blog.example.com");
  });

  test("stays and says why while DNS fails, and is tried again", async () => {
    const dns = new FakeDns();
    await using all = openCluster({ dns });
    const { cluster } = all;
    await untilReady(cluster);
    dns.failure = new Error("the DNS service is away");
    cluster.delete(websites, key);
    await cluster.clock.advance(60_000);
    expect(ready(cluster)).toMatchObject({
      status: "False",
      reason: "DnsRemovalFailed",
      message: "the DNS service is away",
    });
    expect(cluster.get(websites, key)?.metadata.finalizers).toEqual([dnsFinalizer]);
    expect(dns.calls).toBeGreaterThan(5);
    expect(cluster.writes).toEqual([`patch websites/status ${key}`]);
    expect(cluster.events.at(-1)).toMatch(/^Warning DnsRemovalFailed: the DNS service is away/);

    dns.failure = undefined;
    await cluster.eventually(() => cluster.get(websites, key) === undefined, { withinMs: 600_000 });
    expect(dns.removed).toEqual(["blog.example.com"]);
  });

  test("waits for the finalizers of others, and asks DNS once", async () => {
    await using all = openCluster({ website: newWebsite({ metadata: { finalizers: ["example.com/other"] } }) });
    const { cluster, dns } = all;
    await untilReady(cluster);
    cluster.delete(websites, key);
    await cluster.clock.advance(60_000);
    expect(cluster.get(websites, key)?.metadata.finalizers).toEqual(["example.com/other"]);
    expect(dns.calls).toBe(1);
  });
});
