// What both managers have to work on in the bench. Each has a namespace of its own.
import type { appsv1, corev1 } from "@kubeloop/core/api";
import {
  configMaps,
  deployments,
  endpointSlices,
  endpoints,
  namespaces,
  pods,
  replicaSets,
  secrets,
  serviceAccounts,
  services,
} from "@kubeloop/core/resources";
import { HollowNode, hollowNode, setReady } from "./hollow-node.ts";
import type { ProcessCost } from "./manager-process.ts";
import {
  absentIsUndefined,
  createMany,
  forEachOf,
  listOf,
  neverAborted,
  openNamespace,
  type Stage,
  type Workload,
} from "./manager-stage.ts";

const dependentCount = 10_000;
const deploymentCount = 100;
const podsEach = 10;
const serviceCount = 1_000;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

export const workloads: readonly Workload[] = [
  { name: "namespace", run: deleteFullNamespace },
  { name: "dependents", run: collectDependents },
  { name: "deployments", run: rollDeployments },
  { name: "services", run: serveServices },
];

async function deleteFullNamespace(stage: Stage) {
  const { client, manager } = stage;
  const namespace = "full";
  await openNamespace(stage, namespace);
  const named = (index: number) => ({ metadata: { name: `object-${index}` } });
  const one = { apiVersion: "v1" } as const;
  const maps = range(500).map((index): corev1.ConfigMap => ({ ...one, kind: "ConfigMap", ...named(index) }));
  const keys = range(300).map((index): corev1.Secret => ({ ...one, kind: "Secret", ...named(index) }));
  const accounts = range(200).map(
    (index): corev1.ServiceAccount => ({ ...one, kind: "ServiceAccount", ...named(index) }),
  );
  await createMany(client, configMaps, namespace, maps);
  await createMany(client, secrets, namespace, keys);
  await createMany(client, serviceAccounts, namespace, accounts);
  const cost = await manager.during(async () => {
    await client.resource(namespaces).delete(namespace, {}, neverAborted);
    const found = () => absentIsUndefined(client.resource(namespaces).get(namespace, neverAborted));
    await manager.since(async () => (await found()) === undefined);
  });
  return { "deleting a namespace of 1,000 objects": cost };
}

async function collectDependents(stage: Stage) {
  const { client, manager } = stage;
  const namespace = "dependents";
  await openNamespace(stage, namespace);
  const owners = client.resource(configMaps).in(namespace);
  const owner = await owners.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } }, neverAborted);
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" };
  const dependents = range(dependentCount).map(
    (index): corev1.ConfigMap => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `dependent-${index}`, labels: { part: "dependent" }, ownerReferences: [reference] },
    }),
  );
  await createMany(client, configMaps, namespace, dependents);
  const areGone = async () => {
    const options = { labelSelector: "part=dependent", limit: 1 };
    for await (const _ of owners.list(options, neverAborted)) return false;
    return true;
  };
  const cost = await manager.during(async () => {
    await owners.delete("owner", { propagationPolicy: "Background" }, neverAborted);
    await manager.since(areGone);
  });
  return { "collecting 10,000 dependents": cost };
}

/** Created, scaled from 10 to 15 pods, rolled to another template, deleted. */
async function rollDeployments(stage: Stage): Promise<Readonly<Record<string, ProcessCost>>> {
  const { client, manager } = stage;
  const namespace = "deployments";
  await openNamespace(stage, namespace);
  await using hollow = await HollowNode.start(client);
  const target = client.resource(deployments).in(namespace);
  const all = range(deploymentCount).map((index) => deploymentNamed(`web-${index}`));
  const changeAll = (spec: object) =>
    forEachOf(all, ({ metadata: { name = "" } }) =>
      target.patch(name, { type: "strategic", body: { spec } }, neverAborted),
    );
  const areComplete = async () => {
    hollow.check();
    const found = await listOf(client, deployments, namespace);
    return found.length === deploymentCount && found.every(isComplete);
  };
  const areGone = async () => {
    const left = [replicaSets, pods].map((each) => listOf(client, each as never, namespace));
    return (await Promise.all(left)).every(({ length }) => length === 0);
  };
  const measure = (change: () => Promise<void>, isDone = areComplete) =>
    manager.during(async () => {
      await change();
      await manager.since(isDone, 200);
    });
  const image = { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } };
  return {
    "100 Deployments of 10 pods created": await measure(() => createMany(client, deployments, namespace, all)),
    "scaled to 15 pods": await measure(() => changeAll({ replicas: podsEach + 5 })),
    "rolled to another template": await measure(() => changeAll(image)),
    deleted: await measure(
      () => forEachOf(all, ({ metadata: { name = "" } }) => target.delete(name, {}, neverAborted)),
      areGone,
    ),
  };
}

function deploymentNamed(name: string): appsv1.Deployment {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas: podsEach,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeName: hollowNode, containers: [{ name: "web", image: "web:1" }] } },
    },
  };
}

function isComplete({ metadata, spec, status = {} }: appsv1.Deployment): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status;
  return (
    observedGeneration === metadata.generation &&
    [replicas, updatedReplicas, availableReplicas].every((count) => count === spec?.replicas)
  );
}

/** A service for each of 1,000 pods; then all pods turn not ready. */
async function serveServices(stage: Stage) {
  const { client, manager } = stage;
  const namespace = "services";
  await openNamespace(stage, namespace);
  await using hollow = await HollowNode.start(client);
  await createMany(client, pods, namespace, range(serviceCount).map(podNamed));
  await manager.since(async () => {
    hollow.check();
    const found = await listOf(client, pods, namespace);
    return found.every(({ status }) => status?.podIP !== undefined);
  }, 500);
  const known = await listOf(client, pods, namespace);
  const created = await manager.during(async () => {
    await createMany(client, services, namespace, range(serviceCount).map(serviceNamed));
    await manager.since(() => areServed(stage, namespace, true), 500);
  });
  const turned = await manager.during(async () => {
    await forEachOf(known, (pod) => setReady(client, pod, false));
    await manager.since(() => areServed(stage, namespace, false), 500);
  });
  return { "1,000 Services over 1,000 pods": created, "1,000 pods turned not ready": turned };
}

function podNamed(index: number): corev1.Pod {
  const containers = [{ name: "web", image: "web:1", ports: [{ containerPort: 8080 }] }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${index}`, labels: { app: `${index}` } },
    spec: { nodeName: hollowNode, containers },
  };
}

function serviceNamed(index: number): corev1.Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `service-${index}` },
    spec: { clusterIP: "None", selector: { app: `${index}` }, ports: [{ port: 80, targetPort: 8080 }] },
  };
}

/** Every service's Endpoints and EndpointSlice hold its pod, as ready or not. */
async function areServed({ client }: Stage, namespace: string, areReady: boolean): Promise<boolean> {
  const [old, slices] = await Promise.all([
    listOf(client, endpoints, namespace),
    listOf(client, endpointSlices, namespace),
  ]);
  const inEndpoints = old.filter(({ subsets: [subset] = [] }) =>
    areReady ? subset?.addresses !== undefined : subset?.notReadyAddresses !== undefined,
  );
  // A slice without endpoints has null there.
  const inSlices = slices.filter((slice) => slice.endpoints?.[0]?.conditions?.ready === areReady);
  return inEndpoints.length === serviceCount && inSlices.length === serviceCount;
}
