// A real server accepts the objects from the builders without changes.
import { RealCluster } from "@kubeloop/real-cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as resources from "../../api/generated/resources.ts";
import type { KubernetesObject, Resource } from "../../api/index.ts";
import { type Client, loadClusterConfig, openClient } from "../../client/index.ts";
import * as builders from "./index.ts";

const { signal } = new AbortController();
let cluster: RealCluster;
let client: Client;
beforeAll(async () => {
  const extraFlags = { "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"] };
  cluster = await RealCluster.start({ extraFlags }, signal);
  client = openClient(await loadClusterConfig({ path: cluster.adminKubeconfigPath }, signal));
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

for (const [resource, build] of [
  [resources.configMaps, builders.newConfigMap],
  [resources.daemonSets, builders.newDaemonSet],
  [resources.deployments, builders.newDeployment],
  [resources.jobs, builders.newJob],
  [resources.namespaces, builders.newNamespace],
  [resources.nodes, builders.newNode],
  [resources.pods, builders.newPod],
  [resources.replicaSets, builders.newReplicaSet],
  [resources.secrets, builders.newSecret],
  [resources.services, builders.newService],
  [resources.statefulSets, builders.newStatefulSet],
] as readonly (readonly [Resource, (key: string) => KubernetesObject])[]) {
  test(`a ${resource.kind} as built is taken`, async () => {
    const all = client.resource(resource);
    const place = resource.namespaced ? all.in("default") : all;
    const made = await place.create(build("built"), { fieldValidation: "Strict" }, signal);
    expect(made.metadata.uid).toBeTruthy();
  });
}
