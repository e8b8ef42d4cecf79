// What users and kubelets do in the scenarios of the controllers that make endpoints: Services, nodes, and pods that get addresses, become ready
// and end. Nodes are named after the scenario's namespace, since they are the whole cluster's. When the scenario leaves the block they are not
// ready any more: the CPUs of the cluster are the next scenario's. They are not deleted, or the pods on them would be lost before anybody compares.
import { type corev1, type discoveryv1, isNotFound, printTime } from "@kubeloop/core/api";
import { endpointSlices, endpoints, nodes, pods, services } from "@kubeloop/core/resources";
import { listed, type ScenarioCluster } from "./scenario.contract.ts";

export const appLabels = { app: "web" };

export interface PodFacts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly ips?: readonly string[];
  readonly isReady?: boolean;
  /** The number of its port "http". */
  readonly port?: number;
  readonly spec?: Partial<corev1.PodSpec>;
}

export interface NodeFacts {
  readonly zone?: string;
  readonly cpu?: string;
}

/** With a node "n". */
export async function newServiceStage(cluster: ScenarioCluster) {
  const stage = serviceStage(cluster);
  await stage.addNode("n");
  return stage;
}

export function serviceStage(cluster: ScenarioCluster) {
  const { client, namespace, signal, until } = cluster;
  const allNodes = client.resource(nodes);
  const allPods = client.resource(pods).in(namespace);
  const allServices = client.resource(services).in(namespace);
  const made: string[] = [];
  const nodeName = (short: string) => `${namespace}-${short}`;

  const addNode = async (short: string, { zone, cpu = "4" }: NodeFacts = {}) => {
    const name = nodeName(short);
    made.push(short);
    const labels = zone === undefined ? {} : { labels: { "topology.kubernetes.io/zone": zone } };
    await allNodes.create({ apiVersion: "v1", kind: "Node", metadata: { name, ...labels } }, signal);
    await setNodeReady(short, { cpu });
  };
  const setNodeReady = (short: string, { cpu = "4", isReady = true } = {}) => {
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
    const status = { conditions, allocatable: { cpu, memory: "8Gi", pods: "110" } };
    return allNodes.subresource("status").patch(nodeName(short), { type: "merge", body: { status } }, signal);
  };
  const setStatus = (name: string, status: object) =>
    allPods.subresource("status").patch(name, { type: "merge", body: { status } }, signal);
  // Each later than the last by more than a second, however fast the scenario is: times have seconds only.
  let transitions = 0;
  const ready = (isReady: boolean) => ({
    type: "Ready",
    status: isReady ? "True" : "False",
    lastTransitionTime: printTime(cluster.nowMs() + 2000 * transitions++),
  });
  return {
    nodeName,
    addNode,
    setNodeReady,
    relabelNode: (short: string, labels: object) =>
      allNodes.patch(nodeName(short), { type: "merge", body: { metadata: { labels } } }, signal),
    removeNode: (short: string) => allNodes.delete(nodeName(short), {}, signal),

    async addService(spec: object = {}, metadata: object = {}) {
      return allServices.create(
        {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "web", ...metadata },
          spec: { selector: appLabels, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
        },
        signal,
      );
    },
    patchService: (body: object, name = "web") => allServices.patch(name, { type: "merge", body }, signal),
    removeService: (name = "web") => allServices.delete(name, {}, signal),

    /** A pod on a node, with an address, and ready unless said otherwise. */
    async addPod(name: string, facts: PodFacts = {}) {
      const { labels = appLabels, node = "n", ips = ["10.1.0.1"], isReady = true, port = 8080, spec = {} } = facts;
      await allPods.create(
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name, labels },
          spec: {
            nodeName: nodeName(node),
            containers: [{ name: "app", image: "app:1", ports: [{ name: "http", containerPort: port }] }],
            ...spec,
          },
        },
        signal,
      );
      const podIPs = ips.map((ip) => ({ ip }));
      await setStatus(name, { phase: "Running", podIP: ips[0], podIPs, conditions: [ready(isReady)] });
    },
    /** Adds many, ten at a time: each connection costs a real server more than a request. */
    async addPods(count: number, add: (i: number) => Promise<void>) {
      for (let i = 0; i < count; i += 10) {
        await Promise.all(Array.from({ length: Math.min(10, count - i) }, (_, j) => add(i + j)));
      }
    },
    setReady: (name: string, isReady: boolean) => setStatus(name, { conditions: [ready(isReady)] }),
    /** As the kubelet does when all containers have ended. */
    endPod: (name: string, phase: "Succeeded" | "Failed") => setStatus(name, { phase, conditions: [ready(false)] }),
    relabelPod: (name: string, labels: object) =>
      allPods.patch(name, { type: "merge", body: { metadata: { labels } } }, signal),
    /** Begins the deletion; a pod on a node waits for its kubelet. */
    beginDeletion: (name: string) => allPods.delete(name, { gracePeriodSeconds: 30 }, signal),
    removePod: (name: string) => allPods.delete(name, { gracePeriodSeconds: 0 }, signal),

    slices: (name = "web", manager = "endpointslice-controller.k8s.io") => slicesOf(cluster, name, manager),
    /** Waits until the Service's slices have these endpoints, as `printEndpoints` prints them. */
    async untilEndpoints(expected: readonly string[], name = "web") {
      const wanted = JSON.stringify(expected.toSorted());
      await until(`endpoints of ${name}: ${wanted}`, async () => {
        const found = printEndpoints(await slicesOf(cluster, name, "endpointslice-controller.k8s.io"));
        return JSON.stringify(found) === wanted;
      });
    },
    endpoints: (name = "web") => client.resource(endpoints).in(namespace).get(name, signal),
    /** Waits until the Endpoints of the Service have these addresses, as `printSubsets` prints them. */
    async untilAddresses(expected: readonly string[], name = "web") {
      const wanted = JSON.stringify(expected.toSorted());
      await until(`addresses of ${name}: ${wanted}`, async () => {
        const { subsets } = await client.resource(endpoints).in(namespace).get(name, signal);
        return JSON.stringify(printSubsets(subsets ?? [])) === wanted;
      });
    },
    async [Symbol.asyncDispose]() {
      for (const short of made) {
        await setNodeReady(short, { isReady: false }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}

/** "10.1.0.1:8080 ready": all addresses of the subsets, sorted. */
export function printSubsets(subsets: readonly corev1.EndpointSubset[]): readonly string[] {
  return subsets
    .flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
      const numbers = ports.map(({ port }) => port).toSorted();
      return [
        ...addresses.map(({ ip }) => `${ip}:${numbers.join()} ready`),
        ...notReadyAddresses.map(({ ip }) => `${ip}:${numbers.join()}`),
      ];
    })
    .toSorted();
}

async function slicesOf(cluster: ScenarioCluster, service: string, manager: string) {
  const all = await listed(cluster, endpointSlices);
  return all.filter(
    ({ metadata: { labels = {} } }) =>
      labels["kubernetes.io/service-name"] === service && labels["endpointslice.kubernetes.io/managed-by"] === manager,
  );
}

/** "10.1.0.1:8080 ready serving": all endpoints of the slices, sorted. */
export function printEndpoints(slices: readonly discoveryv1.EndpointSlice[]): readonly string[] {
  return slices
    .flatMap(({ ports, endpoints }) => (endpoints ?? []).map((endpoint) => printEndpoint(endpoint, ports ?? [])))
    .toSorted();
}

function printEndpoint(
  { addresses, conditions = {} }: discoveryv1.Endpoint,
  ports: readonly discoveryv1.EndpointPort[],
): string {
  const numbers = ports.map(({ port }) => port).toSorted();
  const conditionsThatHold = (["ready", "serving", "terminating"] as const).filter((name) => conditions[name] === true);
  return [`${addresses.join()}:${numbers.join()}`, ...conditionsThatHold].join(" ");
}
