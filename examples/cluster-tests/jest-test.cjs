const { deployments } = require("@kubeloop/core/resources");
const { startCluster } = require("kubeloop");

// A cluster starts in about a second. Jest's five seconds for a hook are little on a busy machine.
jest.setTimeout(60_000);

let cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, clock: "virtual" });
});
beforeEach(() => cluster.reset());
afterAll(() => cluster[Symbol.asyncDispose]());

test("a deployment becomes available", async () => {
  const { client, signal } = cluster;
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const web = client.resource(deployments).in("default");
  await web.create({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }, signal);
  await cluster.settled();
  const { status } = await web.get("web", signal);
  expect(status.availableReplicas).toBe(2);
});
