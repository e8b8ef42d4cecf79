import { deployments, pods } from "@kubeloop/core/resources";
import { type Cluster, startCluster } from "kubeloop";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, clock: "virtual" });
});
beforeEach(() => cluster.reset());
afterAll(() => cluster[Symbol.asyncDispose]());

test.each([1, 2])("a deployment of %d has as many pods", async (replicas) => {
  const { client, signal } = cluster;
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec } as const;
  await client.resource(deployments).in("default").create(web, signal);
  await cluster.settled();
  let count = 0;
  for await (const _pod of client.resource(pods).in("default").list({}, signal)) count++;
  expect(count).toBe(replicas);
});
