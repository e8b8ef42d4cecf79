// One process of the bench event-cost: the embedded server with this many pods, all controllers on it, and pods of one Deployment that turn not
// ready and ready again. Prints the processor time of each change.
import { ApiServer } from "@kubeloop/apiserver";
import { complete, controllerDescriptors, parseOptions, run } from "@kubeloop/controller-manager";
import type { appsv1, corev1 } from "@kubeloop/core/api";
import { noLog, systemClock, TaskScope } from "@kubeloop/core/base";
import { type Client, clientOf } from "@kubeloop/core/client";
import { deployments, endpointSlices, podDisruptionBudgets, pods, services } from "@kubeloop/core/resources";
import { HollowNode, hollowNode, setReady } from "./hollow-node.ts";
import { createMany, createNamespace, forEachOf, listOf, neverAborted } from "./manager-stage.ts";

export interface EventCost {
  readonly microseconds: number;
}

/** Where the pods are that do not change. */
export type Place = "elsewhere" | "beside";

const front = "front";
const replicas = 20;
const changes = 20;
const warmUps = 10;
const podsPerNamespace = 1_000;

async function main(count: number, place: Place): Promise<EventCost> {
  await using server = await ApiServer.open({});
  const client = clientOf(server.transport, { log: noLog });
  await createNamespace(client, front);
  for (let made = 0; made < count; made += podsPerNamespace) {
    const namespace = place === "beside" ? front : `back-${made}`;
    if (place === "elsewhere") await createNamespace(client, namespace);
    await createMany(
      client,
      pods,
      namespace,
      Array.from({ length: podsPerNamespace }, (_, at) => backPod(made + at)),
    );
  }
  const scope = new TaskScope(neverAborted);
  // A server that keeps its tokens to itself has no key to sign others with.
  const controllers = controllerDescriptors
    .filter(({ name, start }) => start !== undefined && name !== "serviceaccount-token-controller")
    .map(({ name }) => name);
  const flags = ["--leader-elect=false", "--secure-port=0", "--kube-api-qps=50000", "--kube-api-burst=50000"];
  const options = parseOptions([...flags, `--controllers=${controllers.join(",")}`]);
  void scope
    .spawn((signal) => run(complete({ options, client, log: noLog }), signal))
    .catch((error) => {
      if (!scope.signal.aborted) throw error;
    });
  try {
    return await measure(client);
  } finally {
    scope.abort(new Error("measured"));
    await scope.join().catch(() => {});
  }
}

async function measure(client: Client): Promise<EventCost> {
  await using hollow = await HollowNode.start(client);
  const labels = { app: "web" };
  await client.resource(deployments).in(front).create(deployment(labels), neverAborted);
  await client
    .resource(services)
    .in(front)
    .create(
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] },
      },
      neverAborted,
    );
  await client
    .resource(podDisruptionBudgets)
    .in(front)
    .create(
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "web" },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      },
      neverAborted,
    );
  await untilReady(client, hollow, replicas);
  const ours: corev1.Pod[] = [];
  const selected = client.resource(pods).in(front).list({ labelSelector: "app=web" }, neverAborted);
  for await (const pod of selected) ours.push(pod as corev1.Pod);
  const change = async (isReady: boolean) => {
    await forEachOf(ours, (pod) => setReady(client, pod, isReady));
    await untilReady(client, hollow, isReady ? replicas : 0);
  };
  let isReady = true;
  const changeAll = async (times: number) => {
    for (let time = 0; time < times; time++) {
      isReady = !isReady;
      await change(isReady);
    }
  };
  await changeAll(warmUps);
  const before = process.cpuUsage();
  await changeAll(changes);
  const { user, system } = process.cpuUsage(before);
  return { microseconds: (user + system) / (changes * replicas) };
}

/** The Deployment counts so many ready pods, and so does the Service's slice. */
async function untilReady(client: Client, hollow: HollowNode, count: number): Promise<void> {
  for (;;) {
    hollow.check();
    const { status } = await client.resource(deployments).in(front).get("web", neverAborted);
    const slices = await listOf(client, endpointSlices, front);
    const ready = slices
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready === true);
    if ((status?.readyReplicas ?? 0) === count && ready.length === count) return;
    await systemClock.sleep(2, neverAborted);
  }
}

function backPod(index: number): corev1.Pod {
  const containers = [{ name: "back", image: "back:1" }];
  const metadata = { name: `back-${index}`, labels: { app: "back", part: `${index % 100}` } };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } };
}

function deployment(labels: Readonly<Record<string, string>>): appsv1.Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeName: hollowNode, containers: [{ name: "web", image: "web:1" }] } },
    },
  };
}

console.log(JSON.stringify(await main(Number(process.argv[2]), process.argv[3] as Place)));
