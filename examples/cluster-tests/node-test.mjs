import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { configMaps } from "@kubeloop/core/resources";
import { startCluster } from "kubeloop";

let cluster;
before(async () => {
  cluster = await startCluster({ nodes: 1, clock: "virtual" });
});
beforeEach(() => cluster.reset());
after(() => cluster[Symbol.asyncDispose]());

test("a namespace has the certificate that pods trust the server by", async () => {
  const { client, signal } = cluster;
  const found = await client.resource(configMaps).in("default").get("kube-root-ca.crt", signal);
  assert.equal(found.metadata.namespace, "default");
});
