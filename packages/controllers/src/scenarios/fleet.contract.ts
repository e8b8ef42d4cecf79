// The nodes of a scenario, and what their kubelets do. A kubelet reports its node's conditions when told to, and renews its node's lease every few
// seconds for as long as it lives, whatever the scenario waits for meanwhile.
//
// Nodes are named after the scenario's namespace, and so are their zones: on a shared cluster the nodes of other scenarios do not count in them.
import { type corev1, findCondition, isNotFound, printTime } from "@kubeloop/core/api";
import { events, leases, nodes, pods } from "@kubeloop/core/resources";
import type { ScenarioCluster } from "./scenario.contract.ts";

const beatEveryMs = 5000;
const namespace = "kube-node-lease";
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];

export interface NodeFacts {
  readonly zone?: string;
  /** What the kubelet reports as Ready; it reports nothing, and does not live, unless given. */
  readonly ready?: "True" | "False";
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly corev1.Taint[];
  /** Whether the kubelet goes on renewing its lease; true unless given. */
  readonly lives?: boolean;
}

export interface PodFacts {
  readonly tolerations?: readonly corev1.Toleration[];
  readonly isReady?: boolean;
  /** Its kubelet reports nothing of it. */
  readonly isUnreported?: boolean;
}

export function newFleet(cluster: ScenarioCluster) {
  const { client, signal } = cluster;
  const allNodes = client.resource(nodes);
  const allLeases = client.resource(leases).in(namespace);
  const allPods = client.resource(pods).in(cluster.namespace);
  const nameOf = (name: string) => `${cluster.namespace}-${name}`;
  const alive = new Set<string>();
  let beatAtMs = cluster.nowMs();

  const renewTime = () => new Date(cluster.nowMs()).toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
  const renew = (name: string) =>
    allLeases.patch(nameOf(name), { type: "merge", body: { spec: { renewTime: renewTime() } } }, signal);
  const beat = async () => {
    if (cluster.nowMs() - beatAtMs < beatEveryMs) return;
    beatAtMs = cluster.nowMs();
    for (const name of alive) await renew(name);
  };
  const until = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    cluster.until(what, async () => {
      await beat();
      return await look();
    });
  const get = (name: string) => allNodes.get(nameOf(name), signal);
  const patch = (name: string, body: object) => allNodes.patch(nameOf(name), { type: "merge", body }, signal);
  /** The kubelet's conditions: it is ready or not, and under no pressure unless `others` say so. */
  const report = async (name: string, ready: string, others: Readonly<Record<string, string>> = {}) => {
    const now = printTime(cluster.nowMs());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const statuses = { ...Object.fromEntries(pressures.map((type) => [type, "False"])), ...others, Ready: ready };
    const conditions = Object.entries(statuses).map(([type, status]) => ({
      type,
      status,
      reason: `Kubelet${type}${status}`,
      message: `${type} is ${status}`,
      ...times,
    }));
    const body = { status: { conditions } };
    await allNodes.subresource("status").patch(nameOf(name), { type: "merge", body }, signal);
  };
  const findPod = async (name: string): Promise<corev1.Pod | undefined> => {
    try {
      return await allPods.get(name, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const createPod = async (name: string, on: { readonly nodeName?: string }, facts: PodFacts) => {
    const { tolerations = [], isReady = true, isUnreported = false } = facts;
    await allPods.create(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: {
          ...on,
          containers: [{ name: "main", image: "example.com/main:1" }],
          automountServiceAccountToken: false,
          tolerations: [...tolerations],
        },
      },
      signal,
    );
    if (isUnreported) return;
    // A while ago: whoever marks it later does so at another second.
    const lastTransitionTime = printTime(cluster.nowMs() - 60_000);
    const ready = { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime };
    const body = { status: { phase: "Running", conditions: [ready] } };
    await allPods.subresource("status").patch(name, { type: "merge", body }, signal);
  };
  const taintsOf = async (name: string) =>
    ((await get(name)).spec?.taints ?? []).map(
      ({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`,
    );
  return {
    nameOf,
    get,
    patch,
    report,
    until,
    findPod,
    taintsOf,
    /** The kubelet has died, or lives again. */
    kill: (name: string) => alive.delete(name),
    async revive(name: string) {
      alive.add(name);
      await renew(name);
      await report(name, "True");
    },
    async create(name: string, { zone, ready, labels = {}, taints = [], lives = true }: NodeFacts = {}) {
      const zoneLabels = zone === undefined ? {} : { "topology.kubernetes.io/zone": nameOf(zone) };
      await allNodes.create(
        {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: nameOf(name), labels: { ...zoneLabels, ...labels } },
          spec: { taints: [...taints] },
        },
        signal,
      );
      if (ready === undefined) return;
      await allLeases.create(
        {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: nameOf(name) },
          spec: { holderIdentity: nameOf(name), leaseDurationSeconds: 40, renewTime: renewTime() },
        },
        signal,
      );
      await report(name, ready);
      if (lives) alive.add(name);
    },
    async remove(name: string) {
      alive.delete(name);
      await allNodes.delete(nameOf(name), {}, signal);
    },
    /** Lets time go by; kubelets that live go on. */
    async pass(ms: number) {
      const endMs = cluster.nowMs() + ms;
      for (;;) {
        const leftMs = endMs - cluster.nowMs();
        if (leftMs <= 0) return;
        await cluster.pass(Math.min(leftMs, beatEveryMs));
        await beat();
      }
    },
    createPod: (name: string, node: string, facts: PodFacts = {}) => createPod(name, { nodeName: nameOf(node) }, facts),
    /** As the scheduler does; the pod is ready by then. */
    async bindPod(name: string, node: string) {
      await createPod(name, {}, {});
      const target = { apiVersion: "v1", kind: "Node", name: nameOf(node) } as const;
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name }, target } as const;
      await allPods.subresource("binding").create(name, binding, signal);
    },
    untilTaints: (name: string, expected: readonly string[]) =>
      until(`taints of ${name} are ${expected.join(", ") || "none"}`, async () => {
        const found = await taintsOf(name);
        if (found.toSorted().join() === expected.toSorted().join()) return true;
        throw new Error(`taints are ${found.join(", ") || "none"}`);
      }),
    untilReady: (name: string, status: string) =>
      until(`${name} is ready: ${status}`, async () => {
        const condition = findCondition((await get(name)).status?.conditions, "Ready");
        return condition?.status === status ? condition : undefined;
      }),
    untilPodReady: (name: string, status: string) =>
      until(`pod ${name} is ready: ${status}`, async () => {
        const condition = findCondition((await findPod(name))?.status?.conditions, "Ready");
        return condition?.status === status ? condition : undefined;
      }),
    untilPodGone: (name: string) => until(`pod ${name} is gone`, async () => (await findPod(name)) === undefined),
    /** Waits for an event about a node; not on a cluster where events may be lost. */
    async untilNodeEvent(name: string, reason: string, message: string) {
      if (cluster.isDisturbed) return;
      await until(`event ${reason} of ${name}`, async () => {
        for await (const event of client.resource(events).in("default").list({}, signal)) {
          if (event.involvedObject.name === nameOf(name) && event.reason === reason && event.message === message)
            return true;
        }
        return false;
      });
    },
  };
}
